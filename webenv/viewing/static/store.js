// Store: the data of the page, unpacked when they are asked for.

const loaded = document.readyState === 'loading'
  ? () => new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }))
  : () => Promise.resolve();

async function unpack(name) {
  let node = document.getElementById(name);
  if (!node || !node.nextSibling) {
    await loaded(); // the file is still being read
    node = document.getElementById(name);
  }
  const bytes = Uint8Array.from(atob(node.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

const unpacked = new Map();

function block(name) {
  if (!unpacked.has(name)) unpacked.set(name, unpack(name));
  return unpacked.get(name);
}

const store = { index: null, texts: [] };

async function openOverview() {
  store.index = await unpack('overview');
}

async function openEpisode(row) {
  const detail = (await block(`episodes-${row.block}`))[row.at];
  await Promise.all(detail.needs.map(async (number) => {
    store.texts[number] = await block(`texts-${number}`);
  }));
  return detail;
}

function textOf(number) {
  const { starts } = store.index;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= number) low = middle;
    else high = middle - 1;
  }
  return store.texts[low][number - starts[low]];
}
