// State: what is shown. The address holds what a link should lead to; filters are the reader's own.

const state = {
  run: null, // number of the run that is shown, or of the left one of two
  other: null, // number of the right one; null: one by one
  task: null,
  attempt: 0,
  step: null,
  page: '', // 'summary' where it was asked for
  filters: new Map(),
  search: '',
  sort: 'task',
  items: [],
  at: -1,
};

function labelNumber(label) {
  const found = store.index.runs.findIndex((run) => wellFormed(run.label) === label);
  return found < 0 ? null : found;
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const left = given.has('run') ? labelNumber(given.get('run')) : null;
  const right = given.has('with') ? labelNumber(given.get('with')) : null;
  const { pair } = store.index;
  if (given.has('with') || given.has('run')) {
    state.run = left;
    state.other = left === null || right === left ? null : right;
  } else {
    [state.run, state.other] = pair || [null, null];
  }
  state.task = given.get('task');
  state.attempt = Number(given.get('attempt') || 0);
  state.step = given.has('step') ? Number(given.get('step')) : null;
  state.page = given.has('summary') ? 'summary' : '';
}

// Half a character has no form in an address.
const wellFormed = (text) => String(text).replace(/[\ud800-\udfff]/gu, '\ufffd');

function address(parts) {
  const runs = store.index.runs;
  const words = [];
  const put = (name, value) => words.push(value === '' ? name : `${name}=${encodeURIComponent(wellFormed(value))}`);
  const { run = state.run, other = state.other } = parts;
  if (runs.length > 1 && run !== null) put('run', runs[run].label);
  if (other !== null) put('with', runs[other].label);
  if (parts.summary) put('summary', '');
  if (parts.task !== undefined) {
    put('task', parts.task);
    put('attempt', parts.attempt);
  }
  if (parts.step !== undefined) put('step', parts.step);
  return `#${words.join('&')}`;
}

const comparing = () => state.other !== null;

// ── episodes: an item is an episode, or two of one task and attempt ──

const rightAnswer = (row) => row.value !== null && row.value >= 1;
const wordOf = (row) => (row.value === null ? 'unscored' : rightAnswer(row) ? 'right' : row.value > 0 ? 'partly right' : 'wrong');

function keyOf(row) {
  return `${row.attempt} ${row.task}`;
}

function allItems() {
  const { episodes } = store.index;
  if (!comparing()) return episodes.map((row) => ({ rows: [row], key: `${row.run} ${keyOf(row)}` }));
  const right = new Map(episodes.filter((row) => row.run === state.other).map((row) => [keyOf(row), row]));
  return episodes
    .filter((row) => row.run === state.run && right.has(keyOf(row)))
    .map((row) => ({ rows: [row, right.get(keyOf(row))], key: keyOf(row) }));
}

// What two verdicts say of each other, in the words of the filter.
function relation(item) {
  const [one, two] = item.rows.map(wordOf);
  if (one === 'unscored' || two === 'unscored') return 'one unscored';
  const [a, b] = item.rows.map(rightAnswer);
  if (a && b) return 'both right';
  if (!a && !b) return 'both wrong';
  return a ? 'only the first right' : 'only the second right';
}

const differs = (item) => item.rows[0].outcome !== item.rows[1].outcome || item.rows[0].value !== item.rows[1].value;

const TESTS = {
  outcome: (row, value) => (value.startsWith('=') ? row.outcome === value.slice(1) : wordOf(row) === value),
  stage: (row, value) => row.stage === value,
  run: (row, value) => row.run === Number(value),
  turned: (row) => row.turned > 0,
};

function passes(item) {
  for (const [name, value] of state.filters) {
    if (name === 'relation') {
      if (!(value === 'differ' ? differs(item) : relation(item) === value)) return false;
    } else if (name.startsWith('tag ')) {
      if (!item.rows.some((row) => Object.hasOwn(row.tags, name.slice(4)) && row.tags[name.slice(4)] === value)) return false;
    } else if (!item.rows.some((row) => TESTS[name](row, value))) return false;
  }
  return state.search.toLowerCase().split(/\s+/).filter(Boolean).every((word) => haystack(item).includes(word));
}

function haystack(item) {
  item.hay ??= item.rows.map((row) => {
    const tags = Object.entries(row.tags).flat().join(' ');
    return `${row.task} ${tags} ${row.outcome} ${store.index.questions[row.question]} ${row.found}`;
  }).join(' ').toLowerCase();
  return item.hay;
}

const SORTS = {
  task: ['By task', () => 0],
  low: ['Lowest reward first', (row) => row.reward],
  high: ['Highest reward first', (row) => -row.reward],
  turns: ['Most turns first', (row) => -row.spent[3]],
  searches: ['Most searches first', (row) => -row.spent[0]],
};

let everyItem = { of: '', items: [] };

function refreshItems() {
  const of = `${state.run} ${state.other}`;
  if (!comparing()) state.filters.delete('relation');
  if (comparing()) state.filters.delete('run');
  const key = comparing() ? of : '';
  if (everyItem.of !== key || !everyItem.items.length) everyItem = { of: key, items: allItems() };
  const [, weight] = SORTS[state.sort];
  state.items = everyItem.items.filter(passes);
  if (state.sort !== 'task') state.items.sort((a, b) => weight(a.rows[0]) - weight(b.rows[0]));
}

// The item that the address names; one that the filters hide is shown all the same.
function chosenItem() {
  if (state.task === null) return null;
  const fits = (item) => wellFormed(item.rows[0].task) === state.task && item.rows[0].attempt === state.attempt
    && (comparing() || state.run === null || item.rows[0].run === state.run);
  return state.items.find(fits) || everyItem.items.find(fits) || null;
}
