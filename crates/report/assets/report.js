// The script of a report. Text of a run becomes text nodes and
// attribute values, never markup: the page's policy forbids that, too.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

/// Sets attributes, puts children in, and gives the element back.
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

const whole = new Intl.NumberFormat('en');
const words = new Intl.Collator('en', { numeric: true });

function plural(count, one, many = `${one}s`) {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

// ---- Tables: sorted by column, filtered by words

/// Rows that a table must have before it is worth sorting, and before it is worth filtering.
const WORTH_SORTING = 3;
const WORTH_FILTERING = 16;
/// What stands for a figure that does not exist.
const UNDEFINED = '–';

/// What a row is sorted by: a number, a text, or undefined, which goes last.
function sortKey(row, column, numeric) {
  const cell = row.cells[column];
  if (numeric) return cell.dataset.value === undefined ? undefined : Number(cell.dataset.value);
  const said = [...cell.childNodes].filter((node) => node.nodeName !== 'SUP');
  const text = said.map((node) => node.textContent).join('').trim();
  return text === '' || text === UNDEFINED ? undefined : text;
}

function compare(one, other, direction) {
  if (one === undefined || other === undefined) {
    return (one === undefined) - (other === undefined);
  }
  const order = typeof one === 'number' ? one - other : words.compare(one, other);
  return direction === 'descending' ? -order : order;
}

/// A press sorts upwards, the next downwards, the third brings the first order back.
function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const next = { none: 'ascending', ascending: 'descending', descending: 'none' };
  heads.forEach((head, column) => {
    const numeric = head.classList.contains('figure');
    const button = make('button', { type: 'button', class: 'sort' }, ...head.childNodes);
    head.append(button);
    head.setAttribute('aria-sort', 'none');
    button.addEventListener('click', () => {
      const direction = next[head.getAttribute('aria-sort')];
      for (const other of heads) other.setAttribute('aria-sort', 'none');
      head.setAttribute('aria-sort', direction);
      const keyed = original.map((row) => [sortKey(row, column, numeric), row]);
      if (direction !== 'none') keyed.sort((one, other) => compare(one[0], other[0], direction));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

/// Whether a text holds every word that was asked for.
function holds(text, asked) {
  const lower = text.toLowerCase();
  return asked.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}

function makeFilterable(table, index) {
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => row.textContent);
  const id = `filter-${index}`;
  const caption = table.parentElement.getAttribute('aria-label');
  const input = make('input', { type: 'search', id, autocomplete: 'off', spellcheck: 'false' });
  const count = make('span', { role: 'status', class: 'faint' }, plural(rows.length, 'row'));
  const label = make('label', { for: id }, `Filter rows of “${caption}”`);
  table.parentElement.before(make('div', { class: 'filter' }, label, input, count));
  input.addEventListener('input', () => {
    rows.forEach((row, place) => { row.hidden = !holds(texts[place], input.value); });
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = shown === rows.length
      ? plural(rows.length, 'row')
      : `${whole.format(shown)} of ${plural(rows.length, 'row')}`;
  });
}

/// The table as CSV (RFC 4180), numbers as they are and not as they are written.
function asCsv(table) {
  const field = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const said = (cell) => {
    const nodes = [...cell.childNodes].filter((node) => node.nodeName !== 'SUP');
    return nodes.map((node) => node.textContent).join('').trim();
  };
  const line = (row) => [...row.cells].map((cell) => field(said(cell))).join(',');
  return `${[...table.rows].map(line).join('\r\n')}\r\n`;
}

function save(text, type, name) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/// Copy and download beside a table.
function addTools(table) {
  const copy = make('button', { type: 'button' }, 'copy');
  const csv = make('button', { type: 'button' }, 'CSV');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(asCsv(table));
    copy.textContent = 'copied';
  });
  csv.addEventListener('click', () => save(asCsv(table), 'text/csv', `${table.id}.csv`));
  const link = make('a', { href: `#${table.id}` }, 'link');
  table.parentElement.after(make('div', { class: 'tools' }, link, copy, csv));
}

/// The chart as it was drawn for a page, as a file.
function addSvg(figure) {
  const svg = make('button', { type: 'button' }, 'SVG');
  const drawing = figure.querySelector('.drawing.wide svg');
  const name = figure.id.replace(/^figure-/, '');
  svg.addEventListener('click', () => save(drawing.outerHTML, 'image/svg+xml', `${name}.svg`));
  figure.querySelector('.tools').append(svg);
}

document.querySelectorAll('figure[id]').forEach(addSvg);

/// What an address or a link names is unfolded; on a wide screen the contents are.
function unfold() {
  const hash = decodeURIComponent(location.hash.slice(1));
  const named = byId(hash.startsWith('cell=') ? 'explorer' : hash);
  const folded = named && named.closest('details.section');
  if (folded && !folded.open) {
    folded.open = true;
    named.scrollIntoView();
  }
}

window.addEventListener('hashchange', unfold);
unfold();
if (matchMedia('(max-width: 60rem)').matches) byId('contents').open = false;

document.querySelectorAll('table.sorts').forEach((table, index) => {
  const rows = table.tBodies[0].rows.length;
  if (rows >= WORTH_SORTING) makeSortable(table);
  if (rows >= WORTH_FILTERING && table.closest('.section')) makeFilterable(table, index);
  addTools(table);
});

