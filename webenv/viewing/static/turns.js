// Turns: one card for each step of an episode.

const KINDS = { start: 'Question', search: 'Search', visit: 'Visit', ask: 'Ask', answer: 'Answer', note: 'Note', invalid: 'No action' };
const UNITS = ['searches', 'visits', 'asks', 'turns'];
const BEGINNING = 700; // characters of a page that is folded
const URLISH = /^https?:/i;

// What the cards of one episode share.
function scene(row, detail, side) {
  const gold = new Set(detail.goldUrls);
  const copies = new Set(detail.goldCopies);
  const readAt = new Map();
  detail.turns.forEach((turn, step) => {
    for (const [, url] of pagesOf(turn)) if (!readAt.has(url)) readAt.set(url, step);
  });
  const last = detail.turns.at(-1);
  const answered = new Set(last.kind === 'answer' ? last.texts : []);
  return { row, detail, side, gold, copies, readAt, answered, answers: detail.gold.answers, limits: detail.turns[0].budget };
}

function pagesOf(turn) {
  return [...(turn.pages || []), ...(turn.replies || []).flatMap(([, , documents]) => documents)];
}

const goldMark = (one, url) => el('strong', { class: 'gold-mark' }, one.copies.has(url) ? '★ copy of the gold page' : '★ gold page');

function turnCard(one, step) {
  const turn = one.detail.turns[step];
  const id = `${one.side}${step}`;
  const final = step === one.detail.turns.length - 1 && step > 0;
  const over = final && one.detail.ending !== 'policy_failed';
  const touched = [...(turn.results || []), ...pagesOf(turn)].some(([, url]) => one.gold.has(url));
  const title = el('h3', { id: `${id}-title` },
    el('span', { class: 'step' }, step ? String(step) : '0'), KINDS[turn.kind] || plainWords(turn.kind));
  const card = el('section', { class: `turn ${turn.kind}${touched ? ' has-gold' : ''}`, id, tabindex: '-1', 'aria-labelledby': `${id}-title` },
    el('header', {}, title, touched && el('span', { class: 'gold-mark' }, '★ gold'), budget(one, turn)));
  if (step === 0) add(card, [question(one.row), tree(one.detail.turns.flatMap((each) => each.calls || []), 'The tree of the episode')]);
  else add(card, [action(one, turn)]);
  const thought = textOf(turn.thought);
  if (thought) {
    card.append(el('details', { class: 'thought' },
      el('summary', {}, 'Thought', data(thought.replace(/\s+/g, ' ').slice(0, 90), 'span', { class: 'peek' })), data(thought, 'p', { class: 'text' })));
  }
  if (step && turn.calls) add(card, [tree(turn.calls, 'Layers')]);
  if (turn.seconds) card.append(el('p', { class: 'muted' }, `Decided in ${number(turn.seconds[0], 1)} s, answered in ${number(turn.seconds[1], 1)} s`));
  const notice = textOf(turn.notice);
  if (notice) card.append(el('p', { class: 'notice' }, el('strong', {}, 'Notice '), data(notice)));
  if (turn.results) card.append(results(one, turn, step));
  if (turn.pages) add(card, turn.pages.map((page) => pageBox(one, page, 'Page')));
  if (turn.replies) add(card, step ? turn.replies.map((reply) => replyBox(one, reply)) : [siteList(turn.replies)]);
  add(card, [terms(turn, final), !over && store.index.runs[one.row.run].folder !== null && fork(one.row, step)]);
  return card;
}

// Calls of layers, each indented below the one that asked for it.
function tree(calls, name) {
  if (!calls.length) return null;
  const counts = new Map();
  for (const [, layer] of calls) counts.set(layer, (counts.get(layer) || 0) + 1);
  const told = [...counts].map(([layer, calls]) => count(calls, layer)).join(', ');
  const tokens = calls.reduce((sum, call) => sum + call[5] + call[6], 0);
  return el('details', { class: 'tree' }, el('summary', {}, `${name}: ${told}; ${tokens} tokens`),
    el('ul', {}, calls.map(([place, layer, asked, said, failed, read, wrote, seconds]) => {
      const depth = Math.min(3, { host: 0, agent: 0, manager: 1, worker: 2 }[layer] ?? 3);
      return el('li', { class: `depth${depth}${textOf(failed) ? ' failed' : ''}` },
        el('b', {}, `${layer} ${place}`), ' ', data(textOf(asked)), textOf(said) && [' → ', data(textOf(said))],
        el('em', {}, ` ${read} + ${wrote} tokens${seconds ? `, ${number(seconds, 1)} s` : ''}`));
    })));
}

function question(row) {
  const lines = store.index.questions[row.question].split('\n');
  const made = [];
  for (const line of lines.filter((text) => text.trim())) {
    if (line.startsWith('- ')) {
      if (made.at(-1)?.tagName !== 'UL') made.push(el('ul', { class: 'criteria' }));
      made.at(-1).append(data(line.slice(2), 'li'));
    } else made.push(data(line, 'p'));
  }
  return el('div', { class: 'question' }, made);
}

function action(one, turn) {
  if (!turn.texts.length) return el('p', { class: 'muted' }, 'without a text');
  return el('ul', { class: `arguments ${turn.kind}` }, turn.texts.map((number) => {
    const text = textOf(number);
    const shown = URLISH.test(text) ? link(text, text) : data(text, 'span', { class: 'text' });
    return el('li', {}, shown, one.gold.has(number) && [' ', goldMark(one, number)]);
  }));
}

function budget(one, turn) {
  const left = turn.budget;
  const units = UNITS.map((unit, n) => [unit, left[n], one.limits[n]]).filter(([, , limit]) => limit > 0);
  const words = `Left: ${units.map(([unit, now, limit]) => `${unit} ${now} of ${limit}`).join(', ')}`;
  return el('div', { class: 'budget', role: 'img', 'aria-label': words, title: words }, units.map(([unit, now, limit]) => {
    const fill = el('i', {});
    fill.style.width = `${Math.max(0, Math.min(100, (100 * now) / limit))}%`;
    return el('span', { class: unit }, el('b', {}, unit), el('span', { class: 'bar' }, fill), el('em', {}, String(now)));
  }));
}

function results(one, turn, step) {
  const folded = 12;
  const items = turn.results.map(([title, url, snippet], n) => {
    const gold = one.gold.has(url);
    const at = one.readAt.get(url);
    const notes = [
      gold && goldMark(one, url),
      at !== undefined && el('a', { class: 'tag', href: stepAddress(one, at) }, at > step ? `read at turn ${at}` : `read before, turn ${at}`),
      one.answered.has(url) && el('span', { class: 'tag' }, 'answered'),
    ].filter(Boolean);
    return el('li', { class: gold ? 'gold' : null },
      el('span', { class: 'rank' }, String(n + 1)),
      el('div', {},
        el('p', { class: 'hit' }, link(textOf(url), textOf(title) || '(no title)', { class: 'title' }), notes.map((note) => [' ', note])),
        data(textOf(url), 'p', { class: 'url' }),
        el('p', { class: 'snippet', dir: 'auto' }, linked(textOf(snippet), one.answers))));
  });
  const box = el('ol', { class: 'results', 'aria-label': 'Results' }, items.slice(0, folded));
  if (items.length <= folded) return box;
  const goldBelow = turn.results.slice(folded).findIndex(([, url]) => one.gold.has(url));
  const note = goldBelow < 0 ? '' : `, the gold page is result ${folded + goldBelow + 1}`;
  const more = el('button', { class: 'quiet', type: 'button', 'data-unfold': true, on: { click: () => { box.append(...items.slice(folded)); more.remove(); } } },
    `Show all ${items.length} results${note}`);
  return el('div', {}, box, more);
}

function pageBox(one, [title, url, text], what) {
  const gold = one.gold.has(url);
  const whole = textOf(text);
  const body = el('div', { class: 'page-text text', dir: 'auto' });
  const fill = (shown, cut) => body.replaceChildren(...linked(shown, one.answers).flat(Infinity), ...(cut ? [' …'] : []));
  const box = el('article', { class: `page${gold ? ' gold' : ''}` },
    el('p', { class: 'hit' }, el('span', { class: 'small' }, `${what} `), link(textOf(url), textOf(title) || '(no title)', { class: 'title' }),
      gold && [' ', goldMark(one, url)], one.answered.has(url) && [' ', el('span', { class: 'tag' }, 'answered')]),
    data(textOf(url), 'p', { class: 'url' }), body);
  if (whole.length <= BEGINNING + 200) fill(whole, false);
  else {
    fill(whole.slice(0, BEGINNING), true);
    const button = el('button', {
      class: 'quiet', type: 'button', 'aria-expanded': 'false', 'data-unfold': true,
      on: {
        click: () => {
          const open = button.getAttribute('aria-expanded') === 'true';
          fill(open ? whole.slice(0, BEGINNING) : whole, open);
          button.setAttribute('aria-expanded', String(!open));
          button.textContent = open ? wide : 'Show the beginning';
        },
      },
    });
    const wide = `Show the whole page (${count(whole.length, 'character')})`;
    button.textContent = wide;
    box.append(button);
  }
  return box;
}

// The sites that an agent was told of at the start.
function siteList(replies) {
  return el('details', { class: 'sites' }, el('summary', {}, count(replies.length, 'site')),
    el('dl', {}, replies.flatMap(([site, text]) => [data(textOf(site), 'dt'), data(textOf(text), 'dd')])));
}

// The episode of a content agent, by which it came to its reply.
function traceBox([policy, ending, requests, valid, tokens, seconds, turns]) {
  const facts = [plainWords(textOf(ending)), count(turns.length, 'turn'), `${count(requests, 'request')}, ${valid} with results`,
    tokens > 0 && count(tokens, 'token'), seconds > 0 && `${number(seconds)} s`].filter(Boolean);
  return el('details', { class: 'trace' },
    el('summary', {}, 'Its own episode ', data(`${textOf(policy)}: ${facts.join(', ')}`, 'span', { class: 'peek' })),
    el('ol', {}, turns.map(([kind, texts, thought, notice, results]) => el('li', {},
      el('b', {}, KINDS[kind] || plainWords(kind)), texts.map((text) => [' ', data(textOf(text), 'span', { class: 'text' })]),
      textOf(thought) && el('details', { class: 'thought' }, el('summary', {}, 'Thought'), data(textOf(thought), 'p', { class: 'text' })),
      textOf(notice) && el('p', { class: 'notice' }, data(textOf(notice))),
      results.length > 0 && el('ul', {}, results.map(([title, url]) => el('li', {}, link(textOf(url), textOf(title) || '(no title)', { class: 'title' }))))))));
}

function replyBox(one, [site, text, documents, trace]) {
  return el('article', { class: 'reply' },
    el('p', { class: 'hit' }, el('span', { class: 'small' }, 'Reply of '), data(textOf(site), 'strong')),
    el('p', { class: 'text', dir: 'auto' }, marked(textOf(text), one.answers)),
    documents.map((page) => pageBox(one, page, 'Document')), trace && traceBox(trace));
}

function terms(turn, final) {
  const every = Object.entries(turn.terms || {}).filter(([, value]) => value !== 0 || final);
  if (!every.length && !turn.reward) return null;
  return el('p', { class: 'terms' }, el('span', { class: 'small' }, 'reward '), el('b', {}, number(turn.reward || 0)),
    every.map(([name, value]) => el('span', { class: 'term' }, `${visible(name)} ${number(value)}`)));
}

function stepAddress(one, step) {
  const run = one.side === 'b' || comparing() ? {} : store.index.runs.length > 1 ? { run: one.row.run } : {};
  return address({ task: one.row.task, attempt: one.row.attempt, step, ...run });
}

function fork(row, step) {
  const command = forkCommand(row, step);
  const shown = el('code', { class: 'command', hidden: true, tabindex: '0' }, visible(command));
  const button = el('button', {
    class: 'quiet fork', type: 'button', title: 'Copies a command that goes on from here in Python',
    on: { click: () => copyCommand(command, shown, button) },
  }, step ? `Copy a command that forks after turn ${step}` : 'Copy a command that forks here');
  return el('div', { class: 'fork' }, button, shown);
}

async function copyCommand(command, shown, button) {
  shown.hidden = false;
  getSelection().selectAllChildren(shown);
  let copied = true;
  try {
    await navigator.clipboard.writeText(command);
  } catch {
    copied = document.execCommand('copy');
  }
  said.textContent = copied ? 'The command is copied.' : 'The command is selected; copy it.';
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  button.textContent = copied ? 'Copied' : 'Selected: copy it';
  setTimeout(() => { button.textContent = before; }, 1600);
}
