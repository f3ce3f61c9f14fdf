// Episode: question, why the reward is what it is, the turns, the verdict; two beside each other.

const main = document.getElementById('main');
let shownKey = '';

async function showEpisode(item) {
  const key = `${item.key} ${state.run} ${state.other}`;
  if (key !== shownKey) {
    shownKey = key;
    const details = await Promise.all(item.rows.map(openEpisode));
    if (key !== shownKey) return; // another was chosen meanwhile
    const scenes = item.rows.map((row, n) => scene(row, details[n], 'ab'[n]));
    main.replaceChildren(episodeHead(item), ...(scenes.length > 1 ? [sides(scenes)] : column(scenes[0])));
    main.className = scenes.length > 1 ? 'episode two' : 'episode';
    scrollTo(0, 0);
    said.textContent = item.rows.map((row) => `${visible(row.task)}: ${plainWords(row.outcome)}`).join('; ');
  }
  if (state.step !== null) showStep(state.step);
}

function showStep(step) {
  for (const card of main.querySelectorAll('.turn.here')) card.classList.remove('here');
  const cards = ['a', 'b'].map((side) => document.getElementById(side + step)).filter(Boolean);
  for (const card of cards) card.classList.add('here');
  if (!cards.length) return;
  cards[0].scrollIntoView({ block: 'start' });
  cards[0].focus({ preventScroll: true });
}

function episodeHead(item) {
  const [row] = item.rows;
  const home = el('a', { class: 'back', href: address({}) }, '← All episodes');
  const steps = [el('button', { class: 'quiet', type: 'button', on: { click: () => move(-1) }, 'aria-keyshortcuts': 'k' }, '↑ previous'),
    el('button', { class: 'quiet', type: 'button', on: { click: () => move(1) }, 'aria-keyshortcuts': 'j' }, '↓ next')];
  const tags = Object.entries(row.tags).filter(([, value]) => value !== '')
    .map(([tag, value]) => el('span', { class: 'chip' }, el('span', { class: 'small' }, `${plainWords(tag)} `), data(value)));
  return el('header', { class: 'episode-head' }, el('p', { class: 'moves' }, home, steps),
    el('h2', {}, data(row.task), el('span', { class: 'small' }, ` attempt ${row.attempt}`)), el('p', { class: 'chips' }, tags));
}

function column(one) {
  const { row, detail } = one;
  const two = comparing();
  return [
    two && data(store.index.runs[row.run].label, 'h3', { class: 'side' }),
    glance(one),
    strip(one),
    ...detail.turns.map((_, step) => turnCard(one, step)),
    verdict(one),
  ].filter(Boolean);
}

function sides(scenes) {
  const box = el('div', { class: 'sides', 'data-side': 'a' });
  const buttons = scenes.map((one) => el('button', {
    type: 'button', 'aria-pressed': String(one.side === 'a'),
    on: { click: () => {
      box.dataset.side = one.side;
      buttons.forEach((button, n) => button.setAttribute('aria-pressed', String(scenes[n] === one)));
    } },
  }, sign(one.row), ' ', visible(store.index.runs[one.row.run].label)));
  box.append(el('div', { class: 'switch', role: 'group', 'aria-label': 'Which run' }, buttons));
  for (const one of scenes) box.append(el('div', { class: `column ${one.side}` }, column(one)));
  return box;
}

// Why the reward is what it is, at a glance.
function glance(one) {
  const { row, detail } = one;
  const facts = detail.facts.map(([text, step]) => el('li', {}, visible(text), step !== null
    && [' ', el('a', { href: stepAddress(one, step), class: 'tag' }, step ? `turn ${step}` : 'beginning')]));
  const word = wordOf(row);
  return el('section', { class: `glance ${word.replace(' ', '-')}`, 'aria-label': 'Outcome' },
    el('p', { class: 'outcome' }, sign(row), ' ', el('b', {}, plainWords(row.outcome)), ' ',
      el('span', { class: 'reward' }, 'reward ', el('b', {}, number(row.reward))), ' ', el('span', { class: 'small' }, spentWords(row))),
    judgeWords(detail.verdict.explanation),
    facts.length > 0 && el('ul', {}, facts));
}

function judgeWords(text) {
  if (!text) return null;
  if (text.length <= 400) return data(text, 'p', { class: 'text said' });
  return el('details', { class: 'said' }, el('summary', {}, data(`${text.replace(/\s+/g, ' ').slice(0, 200)} …`)), data(text, 'p', { class: 'text' }));
}

// All steps in a line: where the gold page came up, and where it was read.
function strip(one) {
  const letters = { start: '·', search: 'S', visit: 'V', ask: 'A', answer: '=', note: 'N', invalid: '!' };
  return el('nav', { class: 'strip', 'aria-label': 'Steps' }, el('ol', {}, one.detail.turns.map((turn, step) => {
    const inResults = (turn.results || []).some(([, url]) => one.gold.has(url));
    const inPages = pagesOf(turn).some(([, url]) => one.gold.has(url)) || (turn.kind === 'answer' && turn.texts.some((text) => one.gold.has(text)));
    const gold = inPages ? 'gold page read' : inResults ? 'gold page among the results' : '';
    const words = `${step ? `Turn ${step}: ${KINDS[turn.kind] || turn.kind}` : 'The beginning'}${gold ? `, ${gold}` : ''}`;
    return el('li', {}, el('a', {
      href: stepAddress(one, step), class: `${turn.kind}${inPages ? ' gold-read' : inResults ? ' gold-seen' : ''}`, title: visible(words), 'aria-label': visible(words),
    }, letters[turn.kind] || '?'));
  })));
}

function verdict(one) {
  const { row, detail } = one;
  const run = store.index.runs[row.run];
  const found = detail.verdict;
  const weights = new Map(Object.entries(run.weights));
  const known = Object.entries(detail.terms);
  const rows = known.map(([name, value]) => el('tr', {}, el('th', { scope: 'row' }, visible(name)), el('td', {}, number(value)),
    el('td', {}, weights.has(name) ? `× ${number(weights.get(name))}` : '–'),
    el('td', {}, weights.has(name) ? number(value * weights.get(name)) : '–')));
  const identity = Object.entries(run.judgeIdentity).map(([name, value]) => `${name} ${String(value).slice(0, 60)}`).join(', ');
  const own = run.judge === found.judge || Object.values(run.judgeIdentity).includes(found.judge);
  return el('section', { class: 'verdict', 'aria-label': 'Verdict' },
    el('h3', {}, 'Verdict'),
    el('p', {}, sign(row), ' ', el('b', {}, plainWords(found.outcome)), ` value ${number(found.value)}, ended as `, plainWords(detail.ending)),
    data(found.explanation || 'The judge gave no words.', 'p', { class: 'text said' }),
    el('p', { class: 'small' }, 'judged by ', data(found.judge, 'b'), found.identity && ` (${visible(found.identity)})`, own && identity && `: ${visible(identity)}`),
    known.length > 0 && el('table', { class: 'numbers' }, el('caption', {}, `Reward ${number(row.reward)}`),
      el('thead', {}, el('tr', {}, ['term', 'value', 'weight', 'part'].map((word) => el('th', { scope: 'col' }, word)))), el('tbody', {}, rows)),
    goldBox(one), others(one), el('p', { class: 'small' }, `seed of the policy ${detail.seed}`));
}

function goldBox(one) {
  const { urls, answers, claims } = one.detail.gold;
  if (!urls.length && !answers.length && !claims.length) return el('p', { class: 'small' }, 'The task has no gold.');
  const group = (title, items) => items.length > 0 && [el('h4', {}, title), el('ul', { class: 'text' }, items)];
  return el('div', { class: 'gold-box' },
    group(urls.length > 1 ? 'Gold pages' : 'Gold page', urls.map((url) => el('li', { class: 'url' }, link(url, url)))),
    group('Gold answers', answers.map((text) => data(text, 'li'))),
    group('Claims that hold of it', claims.map((text) => data(text, 'li'))));
}

function others(one) {
  if (!one.detail.others.length) return null;
  return el('div', { class: 'others' }, el('h4', {}, 'Other judges'), one.detail.others.map(({ name, verdict: found, reward, stale }) => el('div', {},
    el('p', {}, sign({ value: found.value }), ' ', data(name, 'b'), ': ', plainWords(found.outcome), `, reward ${number(reward)}`,
      stale && el('span', { class: 'tag' }, 'the episode was played again since')),
    judgeWords(found.explanation))));
}
