// List: filters, and the episodes that pass them.

const PAGE = 150; // rows that are made at a time
const list = document.getElementById('list');
const said = document.getElementById('said');
const shownRows = { made: 0, box: null, more: null };

function choices(name, label, entries) {
  const select = el('select', {
    id: `filter-${name}`,
    on: {
      change: () => {
        if (select.value) state.filters.set(name, select.value);
        else state.filters.delete(name);
        showList();
      },
    },
  }, entries.map(([value, text]) => el('option', { value, selected: state.filters.get(name) === value }, text)));
  return el('label', { class: 'field' }, el('span', {}, label), select);
}

function tally(rows, of) {
  const counts = new Map();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) || 0) + 1);
  return counts;
}

function outcomeChoices(rows) {
  const words = tally(rows, wordOf);
  const outcomes = [...tally(rows.filter((row) => row.value !== null), (row) => row.outcome)].sort((a, b) => b[1] - a[1]);
  return [
    ['', 'All'],
    ...['right', 'partly right', 'wrong', 'unscored'].filter((word) => words.has(word)).map((word) => [word, `${word} (${words.get(word)})`]),
    ...outcomes.map(([outcome, times]) => [`=${outcome}`, `· ${plainWords(outcome)} (${times})`]),
  ];
}

function tagChoices(rows) {
  const tags = new Map();
  for (const row of rows) {
    for (const [tag, value] of Object.entries(row.tags)) {
      if (!tags.has(tag)) tags.set(tag, new Map());
      tags.get(tag).set(value, (tags.get(tag).get(value) || 0) + 1);
    }
  }
  return [...tags].filter(([, values]) => values.size > 1 && values.size <= 300);
}

const DIFFICULTIES = ['easy', 'medium', 'hard'];

function tagField([tag, values]) {
  const sorted = [...values].sort(([a], [b]) => {
    const places = [a, b].map((value) => (DIFFICULTIES.includes(value) ? DIFFICULTIES.indexOf(value) : 3));
    return places[0] - places[1] || a.localeCompare(b, 'en', { numeric: true });
  });
  const entries = sorted.map(([value, times]) => [value, `${visible(value)} (${times})`]);
  return choices(`tag ${tag}`, plainWords(tag), [['', 'All'], ...entries]);
}

function buildFilters() {
  const rows = everyItem.items.flatMap((item) => item.rows);
  const runs = store.index.runs;
  const search = el('input', {
    type: 'search', id: 'search', placeholder: 'question, action, answer, id', 'aria-keyshortcuts': '/',
    on: { input: () => { state.search = search.value; showList(); } },
  });
  search.value = state.search;
  const tags = tagChoices(rows);
  const first = tags.filter(([tag]) => tag === 'difficulty' || tag === 'site');
  const rest = tags.filter((tag) => !first.includes(tag));
  const stages = tally(rows, (row) => row.stage);
  const main = [choices('outcome', 'Outcome', outcomeChoices(rows)), ...first.map(tagField)];
  if (stages.size > 1) {
    const entries = store.index.stages.filter((stage) => stages.has(stage)).map((stage) => [stage, `${stage} (${stages.get(stage)})`]);
    main.push(choices('stage', 'Gold page', [['', 'All'], ...entries]));
  }
  if (!comparing() && runs.length > 1) {
    main.push(choices('run', 'Run', [['', 'All'], ...runs.map((run, n) => [String(n), visible(run.label)])]));
  }
  if (rows.some((row) => row.turned)) {
    main.push(choices('turned', 'Judges', [['', 'All'], ['yes', `disagree (${rows.filter((row) => row.turned).length})`]]));
  }
  const sort = el('select', {
    on: { change: () => { state.sort = sort.value; showList(); } },
  }, Object.entries(SORTS).map(([name, [text]]) => el('option', { value: name, selected: state.sort === name }, text)));
  main.push(el('label', { class: 'field' }, el('span', {}, 'Order'), sort));
  return el('form', { class: 'filters', role: 'search', 'aria-label': 'Filter the episodes', on: { submit: (event) => event.preventDefault() } },
    el('label', { class: 'field wide' }, el('span', {}, 'Search'), search),
    el('details', { class: 'fold', open: innerWidth > 900 || state.filters.size > 0 },
      el('summary', {}, 'Filters and order'),
      el('div', { class: 'fields' }, runs.length > 1 && compareFields(), main)),
    rest.length > 0 && el('details', { class: 'more', open: rest.some(([tag]) => state.filters.has(`tag ${tag}`)) },
      el('summary', {}, 'More tags'), el('div', { class: 'fields' }, rest.map(tagField))));
}

function compareFields() {
  const runs = store.index.runs;
  const pick = (name, label, chosen, others) => {
    const select = el('select', {
      id: `pick-${name}`,
      on: {
        change: () => {
          const value = select.value === '' ? null : Number(select.value);
          const left = name === 'run' ? value : (state.run ?? runs.findIndex((_, n) => n !== value));
          let right = name === 'other' ? value : state.other;
          if (right === left) right = null;
          const same = state.task === null ? {} : { task: state.task, attempt: state.attempt };
          location.hash = address({ run: left, other: right, ...same });
        },
      },
    }, others.map(([value, text]) => el('option', { value, selected: value === (chosen === null ? '' : String(chosen)) }, text)));
    return el('label', { class: 'field' }, el('span', {}, label), select);
  };
  const all = runs.map((run, n) => [String(n), visible(run.label)]);
  const beside = pick('other', 'Side by side', state.other, [['', 'no'], ...all.filter(([value]) => Number(value) !== (state.run ?? -1) || !comparing()).map(([value, text]) => [value, text])]);
  if (!comparing()) return beside;
  const items = everyItem.items;
  const counts = tally(items, relation);
  const words = ['both right', 'only the first right', 'only the second right', 'both wrong', 'one unscored'];
  return [
    pick('run', 'Run', state.run, all), beside,
    choices('relation', 'Compare', [
      ['', `All (${items.length})`],
      ['differ', `only where they differ (${items.filter(differs).length})`],
      ...words.filter((word) => counts.has(word)).map((word) => [word, `${word} (${counts.get(word)})`]),
    ]),
  ];
}

function buildList() {
  refreshItems();
  shownRows.box = el('ol', { class: 'rows', 'aria-label': 'Episodes' });
  shownRows.more = el('button', { class: 'quiet more-rows', type: 'button', on: { click: () => growList(state.items.length) } });
  const total = el('p', { class: 'total', id: 'total' });
  const scroll = el('div', { class: 'scroll', on: { scroll: nearEnd } }, shownRows.box, shownRows.more);
  list.replaceChildren(buildFilters(), total, scroll);
  showList();
}

function nearEnd(event) {
  const box = event.currentTarget;
  if (box.scrollHeight - box.scrollTop - box.clientHeight < 600) growList(PAGE);
}

function showList() {
  refreshItems();
  shownRows.made = 0;
  shownRows.box.replaceChildren();
  const all = everyItem.items.length;
  const noun = comparing() ? 'pair' : 'episode';
  const text = state.items.length === all ? count(all, noun) : `${state.items.length.toLocaleString('en')} of ${count(all, noun)}`;
  const rows = state.items.map((item) => item.rows[0]).filter((row) => row.value !== null);
  const oneRun = rows.every((row) => row.run === rows[0].run);
  const rate = rows.length && oneRun && !comparing() ? `, ${percent(rows.filter(rightAnswer).length / rows.length)} right` : '';
  const clear = el('button', { class: 'quiet', type: 'button', on: { click: clearFilters } }, 'clear');
  const total = document.getElementById('total');
  total.replaceChildren(`${text}${rate} `, ...(state.items.length < all ? [clear] : []));
  said.textContent = text;
  growList(PAGE);
  markCurrent(false);
}

function clearFilters() {
  state.filters.clear();
  state.search = '';
  buildList();
  document.getElementById('search').focus();
}

function growList(by) {
  const until = Math.min(state.items.length, shownRows.made + by);
  const made = document.createDocumentFragment();
  for (let n = shownRows.made; n < until; n += 1) made.append(rowOf(state.items[n]));
  shownRows.box.append(made);
  shownRows.made = until;
  shownRows.more.hidden = until >= state.items.length;
  shownRows.more.textContent = `Show all ${state.items.length.toLocaleString('en')}`;
}

const SIGNS = { right: '✓', 'partly right': '◐', wrong: '✗', unscored: '?' };

function sign(row) {
  const word = wordOf(row);
  return el('span', { class: `sign ${word.replace(' ', '-')}`, role: 'img', 'aria-label': word, title: word }, SIGNS[word]);
}

// Questions often begin with one and the same instruction: the list leaves it out.
function shortQuestion(row) {
  const lines = store.index.questions[row.question].split('\n').filter((line) => line.trim());
  const rest = lines.length > 1 ? lines.slice(1) : lines;
  return rest.map((line) => line.replace(/^- /, '')).join(' · ').slice(0, 220);
}

// What all ids begin with, up to a slash, says nothing in the list.
let prefix = null;

function sharedPrefix() {
  if (prefix !== null) return prefix;
  const ids = store.index.episodes.map((row) => row.task);
  const [first] = ids;
  let length = first.length;
  for (const id of ids) {
    let n = 0;
    while (n < length && id[n] === first[n]) n += 1;
    length = n;
  }
  prefix = ids.every((id) => id === first) ? 0 : first.slice(0, length).lastIndexOf('/') + 1;
  return prefix;
}

// Ids of tasks differ at their ends.
function shortId(row) {
  const rest = [...row.task.slice(sharedPrefix())];
  return rest.length > 26 ? `…${rest.slice(-24).join('')}` : rest.join('');
}

function spentWords(row) {
  const [searches, visits, asks, turns] = row.spent;
  // null: a system elsewhere did not report it
  return [searches === null ? null : count(searches, 'search', 'searches'), visits === null ? null : count(visits, 'visit'), asks ? count(asks, 'ask') : null, count(turns, 'turn')]
    .filter(Boolean).join(', ');
}

function rowOf(item) {
  const [row] = item.rows;
  const many = store.index.runs.length > 1 && !comparing();
  const href = address({ task: row.task, attempt: row.attempt, ...(many ? { run: row.run } : {}) });
  const lines = item.rows.map((one) => el('span', { class: 'line' },
    comparing() && sign(one), el('span', { class: 'outcome' }, plainWords(one.outcome)),
    el('span', {}, comparing() ? count(one.spent[3], 'turn') : spentWords(one)), el('span', { class: 'stage' }, stageWords(one))));
  return el('li', {}, el('a', { href, tabindex: '-1', 'data-key': item.key },
    el('span', { class: 'head' }, !comparing() && sign(row), el('span', { class: 'task', title: visible(row.task) }, data(shortId(row), 'bdi')),
      row.attempt > 0 && el('span', { class: 'small' }, `attempt ${row.attempt}`),
      many && data(store.index.runs[row.run].label, 'span', { class: 'small run' }),
      el('span', { class: 'reward', title: 'reward' }, item.rows.map((one) => number(one.reward)).join(' | '))),
    data(shortQuestion(row), 'span', { class: 'question' }), lines));
}

function stageWords(row) {
  return row.stage === 'no gold' || rightAnswer(row) ? '' : `gold ${row.stage}`;
}

function markCurrent(scroll = true) {
  const chosen = chosenItem();
  state.at = chosen ? state.items.indexOf(chosen) : -1;
  if (state.at >= shownRows.made) growList(state.at - shownRows.made + PAGE);
  const links = [...shownRows.box.querySelectorAll('a')];
  for (const [n, one] of links.entries()) {
    const current = n === state.at;
    if (current) one.setAttribute('aria-current', 'true');
    else one.removeAttribute('aria-current');
    one.tabIndex = current || (state.at < 0 && n === 0) ? 0 : -1;
    if (current && scroll) one.scrollIntoView({ block: 'nearest' });
  }
}

function move(by) {
  if (!state.items.length) return;
  const at = state.at < 0 ? (by > 0 ? 0 : state.items.length - 1) : Math.min(state.items.length - 1, Math.max(0, state.at + by));
  if (at >= shownRows.made) growList(at - shownRows.made + PAGE);
  const inList = shownRows.box.contains(document.activeElement);
  const next = shownRows.box.querySelectorAll('a')[at];
  location.hash = next.getAttribute('href');
  if (inList) next.focus();
}
