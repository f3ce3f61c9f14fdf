// App: the address decides what is shown; keys change it.

function showViews() {
  const episode = state.task !== null;
  const entry = (text, href, current, name) => el('a', { href, class: name, 'aria-current': current ? 'page' : null }, text);
  document.getElementById('views').replaceChildren(
    entry('Episodes', address({}), !episode && state.page !== 'summary', 'to-list'),
    entry('Summary', address({ summary: true }), !episode, 'to-summary'));
  document.body.className = episode ? 'reading' : state.page === 'summary' ? 'summing' : 'choosing';
}

let before = '';

async function show() {
  readAddress();
  const pair = `${state.run} ${state.other}`;
  if (before === '' || (before !== pair && (comparing() || before.split(' ')[1] !== 'null'))) buildList();
  before = pair;
  showViews();
  markCurrent();
  const item = chosenItem();
  if (item) await showEpisode(item);
  else if (state.task !== null) {
    shownKey = '';
    main.replaceChildren(el('p', { class: 'notice' }, 'No episode here is of task ', data(state.task, 'b'), `, attempt ${state.attempt}.`));
  } else showSummary();
}

function moveStep(by) {
  const cards = [...main.querySelectorAll(comparing() ? '.column.a .turn' : '.turn')];
  if (!cards.length) return;
  const shown = state.step ?? 0;
  state.step = Math.min(cards.length - 1, Math.max(0, shown + by));
  history.replaceState(null, '', `#${location.hash.slice(1).replace(/&step=[^&]*/, '')}&step=${state.step}`);
  showStep(state.step);
}

function unfoldAll() {
  const closed = [...main.querySelectorAll('details:not([open])')];
  const folded = [...main.querySelectorAll('button[data-unfold]')].filter((button) => button.getAttribute('aria-expanded') !== 'true');
  if (closed.length + folded.length) {
    for (const one of closed) one.open = true;
    for (const one of folded) one.click();
    return;
  }
  for (const one of main.querySelectorAll('details')) one.open = false;
  for (const one of main.querySelectorAll('button[data-unfold]')) one.click();
}

function onlyDiffering() {
  if (!comparing()) return;
  if (state.filters.get('relation') === 'differ') state.filters.delete('relation');
  else state.filters.set('relation', 'differ');
  buildList();
}

const ACTS = {
  j: () => move(1),
  k: () => move(-1),
  n: () => moveStep(1),
  p: () => moveStep(-1),
  x: unfoldAll,
  d: onlyDiffering,
};

addEventListener('keydown', (event) => {
  const where = document.activeElement;
  const writing = where && (where.tagName === 'INPUT' || where.tagName === 'SELECT' || where.tagName === 'TEXTAREA');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (writing) where.blur();
    else location.hash = address({});
    return;
  }
  if (writing) return;
  if (event.key === '/') {
    document.getElementById('search').focus();
    event.preventDefault();
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && (list.contains(where) || where === document.body)) {
    move(event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
  } else if (Object.hasOwn(ACTS, event.key)) {
    ACTS[event.key]();
    event.preventDefault();
  }
});

addEventListener('hashchange', show);

async function begin() {
  if (typeof DecompressionStream === 'undefined') {
    list.textContent = 'This browser is too old to unpack the page; any of 2023 or later can.';
    return;
  }
  await openOverview();
  await show();
  performance.mark('shown');
}

begin().catch((error) => {
  main.replaceChildren(el('p', { class: 'notice' }, `This page cannot be shown: ${visible(error.message)}`));
  throw error;
});
