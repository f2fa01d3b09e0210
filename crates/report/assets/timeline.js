// ---- The timeline

const TIMELINE = { height: 290, left: 46, right: 10, top: 26, bottom: 84 };
/// Of its lower margin, the strip of facts.
const STRIP = 34;
/// Compactions that are drawn as triangles; more are a row of lines.
const MOST_TRIANGLES = 80;
/// A window farther above the data than this factor is named and not drawn.
const FAR_WINDOW = 2.5;

/// A scale of the timeline's axes for a width in pixels.
function scales(story, width) {
  const { step } = story.steps;
  const [first, last] = [step[0], step[step.length - 1]];
  const all = step.map((_, place) => parts(story, place));
  const peak = Math.max(1, ...all.map((part) => Math.max(part.prompt, part.messages)));
  const near = story.window > 0 && story.window <= peak * FAR_WINDOW;
  const top = near ? Math.max(peak, story.window) * 1.04 : peak * 1.04;
  const inner = width - TIMELINE.left - TIMELINE.right;
  const base = TIMELINE.height - TIMELINE.bottom;
  return {
    all, near, top, base, first, last, width,
    x: (one) => TIMELINE.left + inner * (one - first) / (last - first + 1),
    y: (tokens) => base - (base - TIMELINE.top) * tokens / top,
    step: (x) => first + (x - TIMELINE.left) / inner * (last - first + 1),
  };
}

/// An outline in stairs between two heights at every step.
function stairs(story, scale, low, high) {
  const { step } = story.steps;
  const right = (place) => scale.x(place + 1 < step.length ? step[place + 1] : scale.last + 1);
  const there = step.map((one, place) => `${scale.x(one).toFixed(1)},${high(place).toFixed(1)} ${right(place).toFixed(1)},${high(place).toFixed(1)}`);
  const back = step.map((one, place) => `${right(place).toFixed(1)},${low(place).toFixed(1)} ${scale.x(one).toFixed(1)},${low(place).toFixed(1)}`);
  return [...there, ...back.reverse()].join(' ');
}

function stacked(story, scale) {
  const below = scale.all.map(() => 0);
  return used(story).map((band) => {
    const low = [...below];
    scale.all.forEach((part, place) => { below[place] += band.of(part); });
    const points = stairs(story, scale, (place) => scale.y(low[place]), (place) => scale.y(below[place]));
    return shape('polygon', { points, class: `band ${band.style}` });
  });
}

/// A step between marks of an axis: 1, 2 or 5 times a power of ten.
function stride(span, most) {
  const power = 10 ** Math.floor(Math.log10(span / most));
  return [1, 2, 5, 10].map((times) => times * power).find((one) => span / one <= most) || 1;
}

function axes(story, scale) {
  const marks = [];
  const text = (x, y, says, anchor) => shape('text', { x, y, class: 'axis', 'text-anchor': anchor }, says);
  const up = stride(scale.top, 4);
  for (let tokens = 0; tokens <= scale.top; tokens += up) {
    const y = scale.y(tokens).toFixed(1);
    marks.push(shape('path', { d: `M${TIMELINE.left} ${y}H${scale.width - TIMELINE.right}`, class: 'rule' }));
    marks.push(text(TIMELINE.left - 6, Number(y) + 4, short(tokens), 'end'));
  }
  marks.push(text(4, 14, 'tokens', 'start'));
  const along = Math.max(1, stride(scale.last - scale.first + 1, scale.width / 90));
  const y = TIMELINE.height - 8;
  for (let one = Math.ceil(scale.first / along) * along; one <= scale.last; one += along) {
    if (scale.x(one) < scale.width - 70) marks.push(text(scale.x(one).toFixed(1), y, `${one}`, 'middle'));
  }
  marks.push(text(scale.width - TIMELINE.right, y, 'step', 'end'));
  return marks;
}

function windowLine(story, scale) {
  if (!(story.window > 0)) return [];
  const says = `window ${short(story.window)}`;
  const end = scale.width - TIMELINE.right;
  if (!scale.near) {
    return [shape('text', { x: end, y: 14, class: 'axis', 'text-anchor': 'end' }, `${says}, above the picture`)];
  }
  const y = scale.y(story.window);
  return [
    shape('path', { d: `M${TIMELINE.left} ${y.toFixed(1)}H${end}`, class: 'window' }),
    shape('text', { x: end, y: (y - 5).toFixed(1), class: 'axis', 'text-anchor': 'end' }, says),
  ];
}

function compactionMarks(story, scale) {
  const few = story.compactions.length <= MOST_TRIANGLES;
  return story.compactions.map((one) => {
    const x = scale.x(one.step);
    const y = scale.base + 4;
    const style = ['accepted', 'fallback'].includes(one.outcome) ? 'mark' : 'mark hollow';
    return few
      ? shape('polygon', { points: `${x - 4},${y + 8} ${x + 4},${y + 8} ${x},${y}`, class: style })
      : shape('path', { d: `M${x.toFixed(1)} ${y}v8`, class: 'mark' });
  });
}

/// Live facts and those present, below the steps, and where one was needed and gone.
function factStrip(story, scale) {
  const { live, present } = story.steps;
  const most = Math.max(1, ...live);
  const floor = TIMELINE.height - TIMELINE.bottom + 20 + STRIP;
  const height = (count) => floor - STRIP * (count ?? 0) / most;
  const area = (column, style) => shape('polygon', {
    points: stairs(story, scale, () => floor, (place) => height(column[place])), class: style,
  });
  const gone = story.demands.filter((demand) => !demand.met).map((demand) => (
    shape('path', { d: `M${scale.x(demand.step).toFixed(1)} ${floor}v5`, class: 'unmet' })));
  const says = shape('text', { x: TIMELINE.left - 6, y: floor, class: 'axis', 'text-anchor': 'end' }, 'facts');
  return [area(live, 'live'), area(present, 'present'), ...gone, says];
}

function drawTimeline() {
  const { story } = now;
  const place = byId('cell-timeline');
  const width = Math.floor(place.clientWidth);
  // Another cell's picture does not stay.
  if (story?.steps.step.length === 0) place.replaceChildren();
  if (!story || width < 120 || story.steps.step.length === 0) return;
  const scale = scales(story, width);
  const prompt = story.steps.step.flatMap((one, index) => {
    const y = scale.y(scale.all[index].prompt).toFixed(1);
    return [`${scale.x(one).toFixed(1)},${y}`, `${scale.x(story.steps.step[index + 1] ?? scale.last + 1).toFixed(1)},${y}`];
  });
  const title = `Tokens of the prompt at every step of ${story.cell}, with ${plural(story.compactions.length, 'compaction')}`;
  place.replaceChildren(shape(
    'svg',
    { width, height: TIMELINE.height, viewBox: `0 0 ${width} ${TIMELINE.height}`, role: 'img', 'aria-label': title },
    ...axes(story, scale), ...stacked(story, scale),
    shape('polyline', { points: prompt.join(' '), class: 'prompt' }),
    ...windowLine(story, scale), ...compactionMarks(story, scale), ...factStrip(story, scale),
    shape('line', { id: 'cell-cursor', class: 'cursor', y1: TIMELINE.top - 6, y2: TIMELINE.height - TIMELINE.bottom + 20 + STRIP }),
  ));
  now.scale = scale;
  moveCursor();
}

function moveCursor() {
  const cursor = byId('cell-cursor');
  if (!cursor) return;
  const step = now.story.steps.step[now.place];
  if (step === undefined) return;
  const x = now.scale.x(step);
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
}

