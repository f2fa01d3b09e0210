// ---- One step

function measures(pairs) {
  const list = pairs.filter(([, value]) => value !== '');
  return make('dl', { class: 'measures' }, ...list.map(([name, value]) => (
    make('div', {}, make('dt', {}, name), make('dd', {}, value)))));
}

function percent(part, of) {
  return of > 0 ? `${Math.round(part / of * 100)}%` : UNDEFINED;
}

/// The prompt as one bar, as long as the window where there is one.
function drawBar(story, part) {
  const place = byId('cell-composition');
  const width = Math.floor(place.clientWidth);
  const total = Math.max(story.window, part.prompt, part.messages, 1);
  let x = 0;
  const pieces = bands(story).map((band) => {
    const own = width * band.of(part) / total;
    x += own;
    return shape('rect', { x: (x - own).toFixed(2), y: 0, width: own.toFixed(2), height: 30, class: `band ${band.style}` });
  });
  const says = `The prompt holds ${whole.format(part.prompt)} tokens`;
  place.replaceChildren(shape('svg', { width, height: 30, role: 'img', 'aria-label': says }, ...pieces));
}

function drawShares(story, part) {
  const rows = bands(story).filter((band) => band.of(part) > 0).map((band) => make(
    'tr', {},
    make('td', {}, swatch(band.style), band.name),
    make('td', { class: 'figure' }, whole.format(band.of(part))),
    make('td', { class: 'figure' }, percent(band.of(part), part.messages + part.fixed)),
  ));
  const head = (says, style) => make('th', { scope: 'col', ...(style && { class: style }) }, says);
  byId('cell-shares').replaceChildren(
    make('thead', {}, make('tr', {}, head('Share'), head('Tokens', 'figure'), head('Of all', 'figure'))),
    make('tbody', {}, ...rows),
  );
}

/// The compaction that last lost a fact before a step.
function lostBy(story, index, step) {
  return story.compactions.findLast((one) => one.step <= step && one.lost.some((lost) => lost.fact === index));
}

function drawFacts(story, step) {
  const live = story.steps.live[now.place] ?? 0;
  const present = story.steps.present[now.place] ?? 0;
  const needed = story.demands.filter((demand) => demand.step === step).map((demand) => {
    const culprit = demand.met ? undefined : lostBy(story, demand.fact, step);
    return make(
      'li', {},
      make('span', { class: `tag ${demand.met ? 'good' : 'bad'}` }, demand.met ? 'there' : 'not there'),
      statement(story, demand.fact),
      culprit ? ' – lost by ' : null,
      culprit ? stepLink(story, culprit.step, `compaction ${culprit.number} at step ${culprit.step}`, culprit.number) : null,
    );
  });
  byId('cell-facts').replaceChildren(
    measures([['Live facts', `${live}`], ['of these present', `${present} (${percent(present, live)})`]]),
    make('h4', {}, 'Needed by this call'),
    needed.length ? make('ul', {}, ...needed) : make('p', { class: 'faint' }, 'No fact.'),
  );
}

function drawStep() {
  const { story, place } = now;
  const part = parts(story, place);
  const step = story.steps.step[place];
  const ofWindow = story.window > 0 ? ` (${percent(part.prompt, story.window)} of the window)` : '';
  const cached = story.steps.cached[place];
  const masked = part.messages > part.prompt ? `, less than the ${whole.format(part.messages)} kept: part of the view was not sent` : '';
  const says = `Step ${step} of ${story.all_steps}, turn ${story.steps.turn[place] ?? UNDEFINED}: `
    + `${whole.format(part.prompt)} tokens${ofWindow}${masked}`
    + (cached === undefined ? '' : `, ${whole.format(cached)} from the cache`);
  byId('cell-step-says').textContent = says;
  const slider = byId('cell-step');
  slider.value = place;
  slider.setAttribute('aria-valuetext', says);
  byId('cell-step-before').disabled = place === 0;
  byId('cell-step-after').disabled = place + 1 >= story.steps.step.length;
  byId('cell-compaction-before').disabled = now.compaction < 0;
  byId('cell-compaction-after').disabled = now.compaction + 1 >= story.compactions.length;
  drawBar(story, part);
  drawShares(story, part);
  drawFacts(story, step);
  moveCursor();
}

// ---- Compactions

function drawCompactions(story) {
  const columns = ['#', 'Step', 'Stage', 'Occasion', 'Outcome', 'Before', 'After', 'Facts lost', 'Needed later'];
  const heads = columns.map((says, index) => (
    make('th', { scope: 'col', ...((index > 4 || index === 1) && { class: 'figure' }) }, says)));
  const rows = story.compactions.map((one) => {
    const needed = one.lost.filter((lost) => lost.needed_at.length > 0).length;
    const figure = (value, style = '') => make('td', { class: `figure ${style}` }, whole.format(value));
    return make(
      'tr', {},
      make('th', { scope: 'row' }, stepLink(story, one.step, `${one.number}`, one.number)),
      figure(one.step), make('td', {}, one.stage), make('td', {}, one.occasion), make('td', {}, one.outcome),
      figure(one.before), figure(one.after), figure(one.lost.length), figure(needed, needed ? 'bad' : ''),
    );
  });
  if (rows.length === 0) rows.push(make('tr', {}, make('td', { colspan: columns.length }, 'This cell did not compact.')));
  byId('cell-compactions').replaceChildren(make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows));
}

function covered(one) {
  const asked = one.answers.length > 0 || one.attempts > 0;
  const items = one.covers.map((entry) => make(
    'li', {},
    asked ? make('span', { class: `tag ${entry.shown ? 'good' : 'bad'}` }, entry.shown ? 'shown' : 'not shown') : null,
    `${entry.what} · ${entry.role} · ${plural(entry.tokens, 'token')}`,
    entry.text ? make('code', {}, entry.text) : null,
    entry.text && isCut(entry.text) ? make('span', { class: 'faint' }, 'Cut where \u2026 stands.') : null,
  ));
  return [
    make('h4', {}, 'What it covered'),
    items.length ? make('p', { class: 'faint' }, `${plural(items.length, 'entry', 'entries')}, each with all of its text that the story kept; where they do not fit the frame, it scrolls.`) : null,
    items.length ? make('ul', { class: 'covers', tabindex: 0 }, ...items) : make('p', { class: 'faint' }, 'Nothing left the view.'),
    ...more(one),
  ];
}

/// What it covered besides, by kind: texts of so many would drown the others.
function more(one) {
  if (!one.more_covered) return [];
  const asked = one.answers.length > 0 || one.attempts > 0;
  const kinds = (one.more_kinds ?? []).map((kind) => make(
    'li', {},
    `${kind.kind}: ${plural(kind.entries, 'entry', 'entries')}, ${plural(kind.tokens, 'token')}`
    + (asked ? `, ${kind.shown} of them shown` : ''),
  ));
  const says = `And ${whole.format(one.more_covered)} more, not listed one by one`;
  return [
    make('p', { class: 'faint' }, kinds.length ? `${says}:` : `${says}.`),
    kinds.length ? make('ul', { class: 'more' }, ...kinds) : null,
  ];
}

/// Whether a text of the story is an excerpt.
function isCut(text) {
  return text.endsWith('\u2026') || text.startsWith('\u2026');
}

/// A text of the story; where it was cut an ellipsis stands, and the page says so.
function excerpt(text) {
  return make(
    'div', {},
    make('pre', { class: 'excerpt', tabindex: 0 }, text === '' ? '(empty)' : text),
    isCut(text) ? make('p', { class: 'faint cut' }, 'An excerpt, cut where \u2026 stands: what is not here may have been in the rest.') : null,
  );
}

function asked(one) {
  if (one.attempts === 0 && one.answers.length === 0) {
    return [make('h4', {}, 'What its summarizer was shown'), make('p', { class: 'faint' }, 'No summarizer was asked: this plan is mechanical.')];
  }
  const tokens = (list) => list.reduce((sum, entry) => sum + entry.tokens, 0);
  const shown = one.covers.filter((entry) => entry.shown);
  const says = `${shown.length} of the ${plural(one.covers.length, 'entry', 'entries')} listed above: `
    + `${whole.format(tokens(shown))} of ${plural(tokens(one.covers), 'token')}`
    + (one.more_covered ? ', those not listed aside.' : '.');
  return [
    make('h4', {}, 'What its summarizer was shown'),
    make('p', {}, says),
    one.instruction ? make('p', { class: 'faint' }, 'With the instruction:') : null,
    one.instruction ? excerpt(one.instruction) : null,
    make('h4', {}, 'What it answered'),
    ...(one.answers.length ? one.answers.map(excerpt) : [make('p', { class: 'faint' }, 'Nothing that could be used.')]),
  ];
}

function fates(story, one) {
  const lost = one.lost.map((loss) => make(
    'li', {},
    make('span', { class: 'tag bad' }, loss.class), statement(story, loss.fact),
    ...(loss.needed_at.length ? [' – needed at ', ...loss.needed_at.flatMap((step, index) => [
      index ? ', ' : null, stepLink(story, step, `step ${step}`)])] : [' – not needed again']),
  ));
  const lived = one.lived.map((index) => make('li', {}, statement(story, index)));
  return [
    make('h4', {}, `Facts lost: ${lost.length}`),
    lost.length ? make('ul', { class: 'lost' }, ...lost) : null,
    make('details', {}, make('summary', {}, `Facts that lived: ${lived.length}`), make('ul', {}, ...lived)),
  ];
}

function drawCompaction() {
  const { story } = now;
  const one = story.compactions[now.compaction];
  const table = byId('cell-compactions');
  [...table.tBodies[0].rows].forEach((row, index) => {
    if (index !== now.compaction) return row.removeAttribute('aria-current');
    row.setAttribute('aria-current', 'true');
    table.parentElement.scrollTop = row.offsetTop - table.parentElement.clientHeight / 2;
  });
  const place = byId('cell-compaction');
  if (!one) {
    place.replaceChildren(make('p', { class: 'faint' }, 'No compaction up to this step.'));
    return;
  }
  place.replaceChildren(
    make('h3', {}, `Compaction ${one.number}, before the call of `, stepLink(story, one.step, `step ${one.step}`, one.number)),
    measures([
      ['Stage', one.stage], ['Occasion', one.occasion], ['Outcome', one.outcome],
      ['Tokens', `${whole.format(one.before)} → ${whole.format(one.after)}`],
      ['Tries', `${one.attempts}`], ['Dollars', `$${one.usd ?? UNDEFINED}`],
      ['Rules broken', one.violations.join(', ')],
    ]),
    ...fates(story, one).filter(Boolean), ...covered(one).filter(Boolean), ...asked(one).filter(Boolean),
  );
}

// ---- Moving about

/// Goes to a place in the steps, and to a compaction where one is named.
function go(place, compaction) {
  const { story } = now;
  const steps = story.steps.step;
  now.place = Math.min(Math.max(0, place), Math.max(0, steps.length - 1));
  const before = now.compaction;
  now.compaction = compaction ?? compactionAt(story, steps[now.place] ?? 0);
  if (before !== now.compaction || now.drawn !== story) drawCompaction();
  now.drawn = story;
  if (steps.length > 0) drawStep();
}

/// Keeps the address in step, without a new entry in the browser's history.
function remember() {
  const one = now.story.compactions[now.compaction];
  const step = now.story.steps.step[now.place] ?? 0;
  history.replaceState(null, '', address(now.story, step, one?.number));
}

function walk(by) {
  const compaction = now.compaction + by;
  const one = now.story.compactions[compaction];
  if (one) go(placeOf(now.story, one.step), compaction);
  else if (compaction < 0) go(0, -1);
  remember();
}

function about(story) {
  const lost = story.compactions.flatMap((one) => one.lost);
  const unmet = story.demands.filter((demand) => !demand.met).length;
  const thinned = story.steps.step.length < story.all_steps
    ? ` ${whole.format(story.steps.step.length)} of its steps are drawn: those around compactions and losses, and some of the others.` : '';
  byId('cell-about').replaceChildren(
    make('code', {}, story.cell), `: ended ${story.ended_by}; ${plural(story.all_steps, 'step')}, `
    + `${plural(story.compactions.length, 'compaction')}, ${plural(lost.length, 'loss', 'losses')} of a fact, `
    + `${unmet} of ${plural(story.demands.length, 'need')} not met.${thinned} `
    + 'These are all ranked needs, near and far; recall at need, in the tables, is over those alone whose fact was last mentioned a whole window before.',
  );
  byId('cell-timeline-says').textContent = 'Bands: what the view holds. Upper line: the prompt as sent. Triangles (strokes where there are many): compactions (hollow: not accepted). '
    + 'Lower strip: live facts (grey) and those present (green); red below: a fact was needed and not there. Press on it to go to a step.';
  byId('cell-legend').replaceChildren(...used(story).map((band) => make('li', {}, swatch(band.style), band.name)));
}

function open(story) {
  now.story = story;
  byId('cell-story').hidden = false;
  const slider = byId('cell-step');
  slider.max = Math.max(0, story.steps.step.length - 1);
  about(story);
  drawCompactions(story);
  drawTimeline();
  const first = story.compactions[0];
  go(first ? placeOf(story, first.step) : 0);
}

/// The story of a cell, which is packed until it is wanted.
async function unpack(head) {
  const bytes = Uint8Array.from(atob(head.packed), (letter) => letter.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(text).json();
}

/// Shows the cell of this id, unless another was chosen in the meantime.
async function choose(id) {
  const head = data.stories.find((one) => one.id === id);
  head.story ??= unpack(head);
  const story = await head.story;
  if (byId('cell-select').value === id) open(story);
}

/// Lists the cells that hold the words, and shows the first where the present one does not.
function list(asked) {
  const all = data.stories;
  const found = all.filter((one) => holds(`${one.cell} ${one.scenario} ${label(one)}`, asked));
  const groups = new Map();
  for (const one of found) {
    if (!groups.has(one.scenario)) groups.set(one.scenario, make('optgroup', { label: one.scenario }));
    groups.get(one.scenario).append(make('option', { value: one.id }, `${label(one)} · ${one.scenario}`));
  }
  const select = byId('cell-select');
  const before = select.value;
  select.replaceChildren(...groups.values());
  if (found.some((one) => one.id === before)) select.value = before;
  else if (found.length > 0) loading = choose(select.value);
  byId('cell-count').textContent = found.length === all.length
    ? plural(all.length, 'cell') : `${found.length} of ${plural(all.length, 'cell')}`;
}

/// Follows an address that names a place in a cell.
async function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const id = asked.get('cell');
  if (!data.stories.some((one) => one.id === id)) return;
  if (now.story?.id !== id) {
    byId('cell-filter').value = '';
    list('');
    byId('cell-select').value = id;
    await choose(id);
  }
  const { story } = now;
  if (story?.id !== id) return;
  const number = Number(asked.get('compaction'));
  const compaction = story.compactions.findIndex((one) => one.number === number);
  const step = Number(asked.get('step'));
  if (step > 0) go(placeOf(story, step), compaction < 0 ? undefined : compaction);
  byId('cell-timeline').scrollIntoView({ block: 'start' });
  byId('cell-step').focus({ preventScroll: true });
}

/// In the table of all cells, those with a story lead to it.
function linkCells() {
  const pages = new Map(data.stories.map((one) => [one.cell, `#cell=${one.id}`]));
  for (const name of document.querySelectorAll('#every-cell tbody th code')) {
    const page = pages.get(name.textContent);
    if (page) name.replaceWith(make('a', { href: page }, name.cloneNode(true)));
  }
}

function followPointer() {
  const place = byId('cell-timeline');
  const move = (event) => {
    const x = event.clientX - place.getBoundingClientRect().left;
    go(placeOf(now.story, Math.floor(now.scale.step(x))));
  };
  place.addEventListener('pointerdown', (event) => { if (event.button === 0) move(event); });
  place.addEventListener('pointermove', (event) => { if (event.buttons & 1) move(event); });
  place.addEventListener('pointerup', remember);
}

function start() {
  byId('cell-explorer').hidden = false;
  byId('cell-filter').addEventListener('input', (event) => list(event.target.value));
  byId('cell-select').addEventListener('change', (event) => { loading = choose(event.target.value); });
  byId('cell-step').addEventListener('input', (event) => go(Number(event.target.value)));
  byId('cell-step').addEventListener('change', remember);
  byId('cell-step-before').addEventListener('click', () => { go(now.place - 1); remember(); });
  byId('cell-step-after').addEventListener('click', () => { go(now.place + 1); remember(); });
  byId('cell-compaction-before').addEventListener('click', () => walk(-1));
  byId('cell-compaction-after').addEventListener('click', () => walk(1));
  followPointer();
  linkCells();
  list('');
  new ResizeObserver(() => { drawTimeline(); if (now.story) drawStep(); }).observe(byId('cell-explorer'));
  window.addEventListener('hashchange', () => { loading = follow(); });
  if (location.hash.startsWith('#cell=')) loading = follow();
}

if (byId('cell-explorer')) start();
