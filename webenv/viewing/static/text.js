// Text: what came from outside becomes text nodes, and never anything else.

const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e0fff}]/gu;

// Characters that turn, hide or end a line unseen are shown by their numbers.
function visible(text) {
  return String(text).replace(/\r\n?/g, '\n').replace(HIDDEN, (character) => {
    const number = character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${number}⟩`;
  });
}

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else node.setAttribute(name, value === true ? '' : value);
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  add(node, children);
  return node;
}

// A text from outside, apart from the direction of what stands around it.
function data(text, tag = 'span', attributes = {}) {
  return el(tag, { dir: 'auto', ...attributes }, visible(text));
}

const NOWHERE = /(^|\.)(example|invalid|test|localhost)$|(^|\.)example\.(com|net|org)$/;

// A link to the web, for http and https alone; names that are reserved for examples lead nowhere.
function link(url, text, attributes = {}) {
  let parsed = null;
  try {
    parsed = new URL(url);
  } catch {
    // no URL: shown as text
  }
  const web = parsed && (parsed.protocol === 'https:' || parsed.protocol === 'http:');
  if (!web || NOWHERE.test(parsed.hostname)) return data(text, 'span', attributes);
  return data(text, 'a', { ...attributes, href: parsed.href, target: '_blank', rel: 'noopener noreferrer' });
}

// A text with every place marked where one of some words stands.
function marked(text, words) {
  const shown = visible(text);
  const wanted = words.map((word) => visible(word).trim()).filter((word) => word.length > 2);
  if (!wanted.length) return [shown];
  const escaped = wanted.sort((a, b) => b.length - a.length).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const parts = shown.split(new RegExp(`(${escaped.join('|')})`, 'giu'));
  return parts.map((part, number) => (number % 2 ? el('mark', { title: 'words of a gold answer' }, part) : part));
}

const MARKDOWN_LINK = /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>"]{1,2000})\)/gu;

// A text in which each link of Markdown says its words, and after them its address, cut short to the eye alone:
// one click takes all of it up for copying.
function linked(text, words) {
  const parts = String(text).split(MARKDOWN_LINK); // text, words, address, text, …
  return parts.map((part, place) => {
    if (place % 3 < 2) return marked(part, words);
    return [' ', el('span', { class: 'address', title: visible(part) }, visible(part))];
  });
}

function number(value, digits = 2) {
  return value === null || value === undefined ? '–' : Number(value).toFixed(digits).replace('-', '−');
}

function percent(share) {
  return share === null || share === undefined ? '–' : `${(100 * share).toFixed(1)}%`;
}

function count(value, one, many = `${one}s`) {
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
}

function plainWords(word) {
  return visible(word).replace(/_/g, ' ');
}

// ── a command that takes the step up in Python ──

function pythonText(text) {
  let written = '"';
  for (const character of String(text)) {
    const code = character.codePointAt(0);
    if (character === '"' || character === '\\') written += `\\${character}`;
    else if ((code >= 32 && code < 127) || /^[\p{L}\p{N}]$/u.test(character)) written += character;
    else if (code > 0xffff) written += `\\U${code.toString(16).padStart(8, '0')}`;
    else written += `\\u${code.toString(16).padStart(4, '0')}`;
  }
  return `${written}"`;
}

function shellWord(text) {
  return `'${text.replaceAll("'", "'\"'\"'")}'`;
}

function forkCommand(row, step) {
  const run = pythonText(store.index.runs[row.run].folder);
  const { module, env } = store.index.runs[row.run];
  const own = module ? `, env=${pythonText(`${module}:${env}`)}` : ''; // an environment of somebody's own is named
  const where = `task=${pythonText(row.task)}, attempt=${Number(row.attempt)}, step=${Number(step)}`;
  const call = `at_step(${run}, ${where}${own})`;
  return `python -i -c ${shellWord(`from webenv.evaluation import at_step; env, observation = ${call}`)}`;
}
