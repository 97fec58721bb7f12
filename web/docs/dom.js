// Small tools for building the page. Everything becomes text nodes and elements: no text of the
// API description or of an answer is ever read as HTML.

/** Makes an element: `el('a', {href: '#', class: 'x', onclick: f}, 'text', child, null)`. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/** Inline text with `code`, **strong** and plain links. */
function inline(text) {
  const parts = [];
  let rest = text;
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+|#[^\s)]*)\)/;
  for (let found = pattern.exec(rest); found; found = pattern.exec(rest)) {
    parts.push(rest.slice(0, found.index));
    if (found[1]) parts.push(el('code', {}, found[1]));
    else if (found[2]) parts.push(el('strong', {}, found[2]));
    else parts.push(el('a', { href: found[4], rel: 'noreferrer' }, found[3]));
    rest = rest.slice(found.index + found[0].length);
  }
  parts.push(rest);
  return parts;
}

/** The part of Markdown that descriptions use: paragraphs, bullet lists, inline marks. */
export function prose(text, className = 'prose') {
  const blocks = String(text ?? '').trim().split(/\n\s*\n/).filter(Boolean);
  return el('div', { class: className }, blocks.map((block) => {
    const lines = block.split('\n');
    if (lines.every((line) => /^\s*[-*] /.test(line))) {
      return el('ul', {}, lines.map((line) => el('li', {}, inline(line.replace(/^\s*[-*] /, '')))));
    }
    return el('p', {}, inline(lines.join(' ')));
  }));
}

const kHighlightLimit = 150000;

/** JSON text with its tokens marked; plain text when it is long. */
export function highlighted(text) {
  const code = el('code');
  if (text.length > kHighlightLimit) {
    code.textContent = text;
    return code;
  }
  const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > at) code.append(text.slice(at, found.index));
    const kind = found[2] ? 'name' : found[1] ? 'string' : found[3] ? 'word' : 'number';
    code.append(el('span', { class: `json-${kind}` }, found[1] ?? found[0]));
    if (found[2]) code.append(found[2]);
    at = found.index + found[0].length;
  }
  code.append(text.slice(at));
  return code;
}

/** Lays JSON text out without reading its numbers: JavaScript could not hold all of them. */
export function laidOut(text) {
  let depth = 0;
  let out = '';
  const indent = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      out += token + indent();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      const isEmpty = /[[{]\s*$/.test(out.slice(-2 * depth - 4));
      out = isEmpty ? out.trimEnd() + token : out + indent() + token;
    } else if (token === ',') {
      out += token + indent();
    } else {
      out += token === ':' ? ': ' : token;
    }
  }
  return out;
}

async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Plain HTTP from another machine has no clipboard of its own.
  const area = el('textarea', { class: 'offscreen', readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** A button that copies what `read()` gives, and says so. */
export function copyButton(read, label = 'Copy') {
  const button = el('button', { type: 'button', class: 'quiet' }, label);
  let timer;
  button.addEventListener('click', async () => {
    try {
      await copyText(read());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not possible here';
    }
    clearTimeout(timer);
    timer = setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}
