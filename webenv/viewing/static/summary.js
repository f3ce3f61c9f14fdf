// Summary: what the runs came to. The numbers are webenv's; the page only draws them.

const COLOURS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'];

function showSummary() {
  shownKey = '';
  main.className = 'summary';
  const { runs } = store.index;
  const chosen = comparing() ? [runs[state.run], runs[state.other]] : runs;
  main.replaceChildren(...[
    el('h2', {}, 'Summary'),
    chosen.flatMap((run) => run.notes).map((note) => data(note, 'p', { class: 'notice' })),
    comparing() && crossTable(),
    totals(chosen), groups(chosen), outcomes(chosen), histogram(chosen), about(chosen), keysHelp(),
  ].flat().filter(Boolean));
}

function interval(group) {
  return group.interval ? `${(100 * group.interval[0]).toFixed(0)}–${(100 * group.interval[1]).toFixed(0)}` : '–';
}

// Success as a bar from 0 to 100%, with its 95% interval as a line.
function bar(group, colour) {
  const width = 200;
  const drawing = svg('svg', { viewBox: `0 0 ${width} 14`, class: `bar ${colour}`, 'aria-hidden': 'true', preserveAspectRatio: 'none' },
    svg('rect', { class: 'track', x: 0, y: 3, width, height: 8 }));
  if (group.interval) {
    const [low, high] = group.interval.map((share) => share * width);
    drawing.append(svg('rect', { class: 'fill', x: 0, y: 3, width: group.success_rate * width, height: 8 }),
      svg('rect', { class: 'span', x: low, y: 6.25, width: Math.max(1, high - low), height: 1.5 }),
      svg('rect', { class: 'span', x: low, y: 4, width: 1, height: 6 }), svg('rect', { class: 'span', x: high - 1, y: 4, width: 1, height: 6 }));
  }
  return drawing;
}

function table(caption, heads, rows) {
  return el('div', { class: 'wide-table', tabindex: '0', role: 'region', 'aria-label': caption }, el('table', {}, el('caption', {}, caption),
    el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))), el('tbody', {}, rows)));
}

function totals(runs) {
  return table('Success, 95% interval, and means an episode', ['run', '', 'success', '95%', 'reward', 'searches', 'visits', 'turns', 'n', 'unscored'],
    runs.map((run, n) => {
      const { total } = run;
      return el('tr', {}, el('th', { scope: 'row' }, data(run.label, 'span', { class: 'name' })), el('td', {}, bar(total, COLOURS[n % 6])), el('td', {}, el('b', {}, percent(total.success_rate))),
        el('td', {}, interval(total)), [total.reward, total.searches, total.visits, total.turns].map((value) => el('td', {}, number(value))),
        el('td', {}, total.episodes.toLocaleString('en')), el('td', { class: total.unscored ? 'warn' : null }, String(total.unscored)));
    }));
}

function groups(runs) {
  const tags = [...new Set(runs.flatMap((run) => Object.entries(run.byTag).filter(([, values]) => Object.keys(values).length > 1).map(([tag]) => tag)))];
  if (!tags.length) return null;
  const box = el('div', {});
  const draw = (tag) => {
    const values = [...new Set(runs.flatMap((run) => Object.keys(run.byTag[tag] || {})))];
    box.replaceChildren(table(`Success by ${plainWords(tag)}`, [plainWords(tag), 'run', '', 'success', '95%', 'n'], values.flatMap((value) => runs.map((run, n) => {
      const group = (run.byTag[tag] || {})[value];
      const name = n === 0 && el('th', { scope: 'rowgroup', rowspan: runs.length },
        el('button', { class: 'plain', type: 'button', title: 'Show these episodes', on: { click: () => onlyTag(tag, value) } }, visible(value)));
      if (!group) return el('tr', {}, name, el('td', { class: 'small' }, data(run.label, 'span', { class: 'name' })), el('td', { colspan: 4 }, '–'));
      return el('tr', {}, name, el('td', { class: 'small' }, data(run.label, 'span', { class: 'name' })), el('td', {}, bar(group, COLOURS[n % 6])),
        el('td', {}, el('b', {}, percent(group.success_rate))), el('td', {}, interval(group)), el('td', {}, String(group.episodes)));
    }))));
  };
  const first = tags.includes('difficulty') ? 'difficulty' : tags[0];
  const select = el('select', { on: { change: () => draw(select.value) } }, tags.map((tag) => el('option', { value: tag, selected: tag === first }, plainWords(tag))));
  draw(first);
  return el('section', {}, box, tags.length > 1 && el('label', { class: 'field inline' }, el('span', {}, 'Group by'), select));
}

function onlyTag(tag, value) {
  state.filters.set(`tag ${tag}`, value);
  buildList();
  said.textContent = document.getElementById('total').textContent;
  location.hash = address({});
}

function outcomes(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.outcomes)))];
  const silent = [...new Set(runs.flatMap((run) => Object.keys(run.unscored)))];
  const most = Math.max(1, ...runs.flatMap((run) => [...Object.values(run.outcomes), ...Object.values(run.unscored)]));
  const row = (name, shown, of) => el('tr', {}, el('th', { scope: 'row' }, shown),
    runs.flatMap((run, n) => {
      const times = of(run)[name] || 0;
      const drawing = svg('svg', { viewBox: '0 0 120 14', class: `bar ${COLOURS[n % 6]}`, 'aria-hidden': 'true', preserveAspectRatio: 'none' },
        svg('rect', { class: 'fill', x: 0, y: 3, width: (120 * times) / most, height: 8 }));
      return [el('td', { class: 'right' }, times.toLocaleString('en')), el('td', {}, drawing)];
    }));
  return table('Outcomes, in episodes', ['outcome', ...runs.flatMap((run) => [data(run.label, 'span', { class: 'name' }), ''])], [
    ...names.map((name) => row(name, el('button', { class: 'plain', type: 'button', on: { click: () => onlyOutcome(`=${name}`) } }, plainWords(name)), (run) => run.outcomes)),
    ...silent.map((name) => row(name, el('span', { class: 'name' }, 'unscored: ', data(name.slice(0, 120))), (run) => run.unscored)),
  ]);
}

function onlyOutcome(value) {
  state.filters.set('outcome', value);
  buildList();
  location.hash = address({});
}

// Turns of the episodes, right ones below the others.
function histogram(runs) {
  const numbers = runs.map((run) => store.index.runs.indexOf(run));
  const rows = store.index.episodes.filter((row) => numbers.includes(row.run));
  const most = Math.max(...rows.map((row) => row.spent[3]));
  const step = Math.max(1, Math.ceil((most + 1) / 25));
  const bins = Array.from({ length: Math.floor(most / step) + 1 }, () => [0, 0]);
  return el('figure', { class: 'histograms' }, el('figcaption', {}, 'Turns an episode took: ', el('span', { class: 'key right' }, 'right'), ' ', el('span', { class: 'key rest' }, 'not right')),
    runs.map((run, n) => {
      const own = bins.map(() => [0, 0]);
      for (const row of rows) if (row.run === numbers[n]) own[Math.floor(row.spent[3] / step)][rightAnswer(row) ? 0 : 1] += 1;
      const top = Math.max(1, ...own.map(([a, b]) => a + b));
      const [width, height] = [420, 110];
      const each = width / own.length;
      const words = own.map(([a, b], at) => [at * step, a + b]).filter(([, times]) => times).map(([turns, times]) => `${turns}: ${times}`).join(', ');
      const drawing = svg('svg', { viewBox: `0 0 ${width} ${height + 18}`, class: 'histogram', role: 'img', 'aria-label': `Turns and episodes: ${words}` });
      own.forEach(([a, b], at) => {
        const [one, two] = [(height * a) / top, (height * b) / top];
        drawing.append(svg('rect', { class: 'right', x: at * each + 1, y: height - one, width: Math.max(1, each - 2), height: one }, svg('title', {}, `${at * step} turns: ${a} right`)),
          svg('rect', { class: 'rest', x: at * each + 1, y: height - one - two, width: Math.max(1, each - 2), height: two }, svg('title', {}, `${at * step} turns: ${b} not right`)));
        if (at % Math.ceil(own.length / 14) === 0) drawing.append(svg('text', { x: at * each + each / 2, y: height + 14, 'text-anchor': 'middle' }, String(at * step)));
      });
      drawing.append(svg('line', { x1: 0, x2: width, y1: height, y2: height }));
      return el('div', {}, runs.length > 1 && data(run.label, 'p', { class: 'small' }), drawing);
    }));
}

function crossTable() {
  const items = everyItem.items;
  const counts = tally(items, relation);
  const words = ['both right', 'only the first right', 'only the second right', 'both wrong', 'one unscored'];
  const [one, two] = [state.run, state.other].map((n) => visible(store.index.runs[n].label));
  const name = { 'only the first right': `only ${one} right`, 'only the second right': `only ${two} right` };
  if (!items.length) return el('p', { class: 'notice' }, 'These two runs share no task and attempt: there is nothing to lay side by side.');
  return el('div', { class: 'cross' }, el('p', {}, `${count(items.length, 'episode')} that both played:`), el('ul', {}, words.filter((word) => counts.has(word)).map((word) => el('li', {},
    el('button', { class: 'plain', type: 'button', on: { click: () => { state.filters.set('relation', word); buildList(); location.hash = address({}); } } },
      el('b', {}, String(counts.get(word))), ` ${name[word] || word}`)))));
}

function about(runs) {
  return el('section', { class: 'about' }, el('h3', {}, runs.length > 1 ? 'The runs' : 'The run'), runs.map((run) => el('dl', {},
    run.facts.map(([name, value]) => el('div', {}, el('dt', {}, name), data(value, 'dd'))))));
}

function keysHelp() {
  const keys = [['j, k', 'next, previous episode'], ['n, p', 'next, previous turn'], ['/', 'search'], ['x', 'unfold thoughts, pages and results'], ['d', 'only where two runs differ'], ['Esc', 'back']];
  return el('section', { class: 'keys' }, el('h3', {}, 'Keys'), el('dl', {}, keys.map(([key, what]) => el('div', {}, el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)))));
}
