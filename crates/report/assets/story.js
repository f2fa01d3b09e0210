// ---- A cell, step by step: its story and what is shown of it

const data = JSON.parse(byId('data').textContent);

/// What is shown: a story, a place in its columns of steps, a place in its compactions
/// (-1 before the first).
const now = { story: null, place: 0, compaction: -1 };

/// Done when the story that was chosen last is shown.
let loading = Promise.resolve();

function label(one) {
  const mode = one.mode === 'deployed' ? '' : ` · ${one.mode}`;
  const end = one.ended_by === 'completed' ? '' : ` · ${one.ended_by}`;
  return `${one.configuration} · seed ${one.seed}${mode} · ${one.summarizer}${end}`;
}

function fact(story, index) {
  return story.facts[index] ?? { kind: 'fact', statement: `number ${index}` };
}

function statement(story, index) {
  const { kind, statement: says } = fact(story, index);
  return make('span', { class: 'statement' }, make('code', {}, kind), ` ${says}`);
}

/// Where a link to a step of this story leads; the address holds the place, so that the
/// browser's way back leads back.
function address(story, step, compaction) {
  const number = compaction === undefined ? '' : `&compaction=${compaction}`;
  return `#cell=${story.id}&step=${step}${number}`;
}

function stepLink(story, step, says, compaction) {
  return make('a', { class: 'link', href: address(story, step, compaction) }, says);
}

/// The place of a step in the columns: the last that is not behind it.
function placeOf(story, step) {
  const after = story.steps.step.findIndex((one) => one > step);
  return Math.max(0, (after < 0 ? story.steps.step.length : after) - 1);
}

/// The last compaction at or before a step.
function compactionAt(story, step) {
  return story.compactions.findLastIndex((one) => one.step <= step);
}

/// Tokens of a step: by share, and what the prompt holds besides messages.
function parts(story, place) {
  const shares = story.steps.shares[place] ?? [];
  const messages = shares.reduce((sum, tokens) => sum + tokens, 0);
  const prompt = story.steps.prompt[place] ?? messages;
  return { shares, messages, prompt, fixed: Math.max(0, prompt - messages) };
}

/// Shares from the bottom up, as in the chart of composition: what summarizers wrote lies lowest.
const ORDER = ['system', 'goal-batch', 'summarized', 'summary', 'other', 'user', 'assistant', 'tool'];

/// Names and classes of what a prompt is made of, lowest first.
function bands(story) {
  const named = story.share_names.map((name, index) => ({
    name, style: `share-${index % 8}`, of: (part) => part.shares[index] ?? 0,
  })).sort((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name));
  return [{ name: 'system prompt and tools', style: 'share-fixed', of: (part) => part.fixed }, ...named];
}

/// The shares that some step has.
function used(story) {
  const all = story.steps.step.map((_, place) => parts(story, place));
  return bands(story).filter((band) => all.some((part) => band.of(part) > 0));
}

function swatch(style) {
  const box = shape('rect', { width: 10, height: 10, class: style });
  return shape('svg', { viewBox: '0 0 10 10', 'aria-hidden': 'true' }, box);
}

function short(tokens) {
  if (tokens >= 999500) return `${+(tokens / 1e6).toFixed(2)}M`;
  return tokens >= 1000 ? `${+(tokens / 1e3).toFixed(1)}k` : `${tokens}`;
}

