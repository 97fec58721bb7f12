// The viewer of the API: reads openapi.json, lists its operations, shows one at a time.

import { el, prose, replace } from './dom.js';
import { badge, operationPage } from './operation.js';
import { Schemas } from './schema.js';

const kMethods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** The key lives in this object and nowhere else: a reload forgets it. */
const session = { key: '', base: new URL('.', document.baseURI).href };
const at = (id) => document.getElementById(id);

let operations = [];
let schemas;

function groupOf(operation, path) {
  if (operation.tags?.length) return operation.tags[0];
  const steps = path.split('/').filter((step) => step && !step.startsWith('{') && !/^v\d+$|^api$/.test(step));
  return steps[0] ?? 'general';
}

/** Every operation with what its path and the document add to it. */
function listOperations(document) {
  const list = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of kMethods.filter((name) => item[name])) {
      const operation = item[method];
      const own = (operation.parameters ?? []).map((one) => schemas.resolve(one));
      const shared = (item.parameters ?? []).map((one) => schemas.resolve(one))
        .filter((one) => !own.some((mine) => mine.name === one.name && mine.in === one.in));
      const id = operation.operationId ?? `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
      list.push({
        ...operation,
        id, path, method,
        group: groupOf(operation, path),
        security: operation.security ?? document.security ?? [],
        requestBody: operation.requestBody && schemas.resolve(operation.requestBody),
        parameters: [...shared, ...own].filter((one) => one.in !== 'cookie'),
        text: `${method} ${path} ${operation.summary ?? ''} ${id} ${operation.tags ?? ''}`.toLowerCase(),
      });
    }
  }
  return list;
}

function groups() {
  const byName = new Map();
  for (const operation of operations) {
    if (!byName.has(operation.group)) byName.set(operation.group, []);
    byName.get(operation.group).push(operation);
  }
  return byName;
}

function drawSidebar() {
  replace(at('operations'), [...groups()].map(([name, members]) =>
    el('section', { class: 'group' }, el('h2', {}, name),
      el('ul', {}, members.map((operation) => {
        const link = el('a', { href: `#${encodeURIComponent(operation.id)}`, title: operation.path },
          badge(operation.method), el('span', { class: 'link-text' }, operation.summary || operation.path));
        operation.link = link;
        return el('li', {}, link);
      })))));
}

function filter(words) {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const operation of operations) {
    const fits = terms.every((term) => operation.text.includes(term));
    operation.link.parentElement.hidden = !fits;
    count += fits;
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = !group.querySelector('li:not([hidden])');
  }
  at('found').textContent = terms.length === 0 ? '' : `${count} of ${operations.length}`;
}

function overview(document) {
  const info = document.info ?? {};
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  return el('article', { class: 'overview' },
    el('h1', { tabindex: '-1' }, info.title ?? 'API'),
    el('p', { class: 'lead' }, `Version ${info.version ?? '?'} · ${operations.length} operations · `,
      el('a', { href: 'openapi.json' }, `OpenAPI ${document.openapi ?? ''}`)),
    info.description && prose(info.description),
    schemes.length > 0 && el('section', {}, el('h2', {}, 'Authentication'),
      el('p', {}, 'Put an API key into the field above to send requests from this page. The key stays in this tab and is forgotten when it closes.'),
      el('ul', { class: 'schemes' }, schemes.map(([name, scheme]) => el('li', {}, el('strong', {}, name), ' ',
        scheme.scheme === 'basic' ? el('code', {}, '-u "api:$SPINDLE_API_KEY"')
          : el('code', {}, '-H "Authorization: Bearer $SPINDLE_API_KEY"'))))),
    [...groups()].map(([name, members]) => el('section', { class: 'overview-group' }, el('h2', {}, name),
      el('ul', { class: 'cards' }, members.map((operation) => el('li', {},
        el('a', { href: `#${encodeURIComponent(operation.id)}` }, badge(operation.method),
          el('span', { class: 'card-path' }, operation.path),
          operation.summary && el('span', { class: 'card-text' }, operation.summary))))))));
}

function show(byUser) {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === 'content') return;
  const current = operations.find((operation) => operation.id === id);
  for (const operation of operations) {
    if (operation === current) operation.link.setAttribute('aria-current', 'page');
    else operation.link.removeAttribute('aria-current');
  }
  const title = schemas.document.info?.title ?? 'API';
  document.title = current ? `${current.summary || current.path} · ${title}` : `${title} API reference`;
  replace(at('content'), current ? operationPage(current, schemas, session) : overview(schemas.document));
  current?.link.scrollIntoView({ block: 'nearest' });
  closeMenu();
  window.scrollTo(0, 0);
  if (byUser) at('content').querySelector('h1')?.focus({ preventScroll: true });
}

function closeMenu() {
  at('sidebar').classList.remove('open');
  at('menu').setAttribute('aria-expanded', 'false');
}

/** Arrow keys walk from the search field through the links that it left. */
function walk(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = [at('search'), ...document.querySelectorAll('.group:not([hidden]) li:not([hidden]) a')];
  const index = stops.indexOf(document.activeElement);
  if (index < 0) return;
  event.preventDefault();
  stops[Math.min(Math.max(index + (event.key === 'ArrowDown' ? 1 : -1), 0), stops.length - 1)].focus();
}

function listen() {
  at('search').addEventListener('input', () => filter(at('search').value));
  at('search').addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      document.querySelector('.group:not([hidden]) li:not([hidden]) a')?.click();
    } else if (event.key === 'Escape') {
      at('search').value = '';
      filter('');
    }
  });
  at('sidebar').addEventListener('keydown', walk);
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      at('sidebar').classList.add('open');
      at('search').focus();
    } else if (event.key === 'Escape') {
      closeMenu();
    }
  });
  at('menu').addEventListener('click', () => {
    const open = at('sidebar').classList.toggle('open');
    at('menu').setAttribute('aria-expanded', String(open));
  });
  at('skip').addEventListener('click', (event) => {
    event.preventDefault();
    at('content').focus();
  });
  at('home').addEventListener('click', (event) => {
    event.preventDefault();
    history.pushState(null, '', location.pathname + location.search);
    show(true);
  });
  at('key-form').addEventListener('submit', (event) => event.preventDefault());
  at('key').addEventListener('input', () => { session.key = at('key').value.trim(); });
  window.addEventListener('hashchange', () => show(true));
  window.addEventListener('popstate', () => { if (location.hash === '') show(true); });
}

async function start() {
  try {
    const response = await fetch(new URL('openapi.json', document.baseURI));
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    schemas = new Schemas(await response.json());
  } catch (error) {
    replace(at('content'), el('p', { class: 'warning' }, `openapi.json could not be read: ${error.message}.`));
    return;
  }
  const info = schemas.document.info ?? {};
  at('title').textContent = info.title ?? 'API';
  at('version').textContent = info.version ?? '';
  operations = listOperations(schemas.document);
  drawSidebar();
  listen();
  show(false);
}

start();
