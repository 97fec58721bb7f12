// The page of one operation.

import { copyButton, el, highlighted, prose, replace } from './dom.js';
import { requestPanel } from './request.js';
import { contentOf } from './schema.js';

export function badge(method) {
  return el('span', { class: `method ${method}` }, method.toUpperCase());
}

function pathWithMarks(path) {
  return el('code', { class: 'path' }, path.split(/(\{[^}]+\})/).map((part) =>
    part.startsWith('{') ? el('em', {}, part) : part));
}

function securityText(operation) {
  const names = (operation.security ?? []).flatMap((choice) => Object.keys(choice));
  if (names.length === 0) return el('p', { class: 'security' }, 'Open: needs no API key.');
  return el('p', { class: 'security' }, 'Needs an API key as ',
    names.map((name, index) => [index > 0 ? ' or ' : '', el('strong', {}, name)]), '.');
}

function parameterTable(operation, schemas) {
  const parameters = operation.parameters;
  if (parameters.length === 0) return null;
  const rows = parameters.map((parameter) => el('tr', {},
    el('td', {}, el('code', { class: 'member' }, parameter.name),
      parameter.required && el('span', { class: 'tag required' }, 'required'),
      parameter.deprecated && el('span', { class: 'tag deprecated' }, 'deprecated')),
    el('td', {}, el('span', { class: 'place' }, parameter.in)),
    el('td', {}, schemas.row('', parameter.schema ?? {}, false, 3),
      parameter.description && !parameter.schema?.description && prose(parameter.description, 'note'))));
  return el('section', {}, el('h2', {}, 'Parameters'),
    el('div', { class: 'scroll' }, el('table', { class: 'parameters' },
      el('thead', {}, el('tr', {}, ['Name', 'In', 'Value'].map((text) => el('th', { scope: 'col' }, text)))),
      el('tbody', {}, rows))));
}

/** An example with a switch between what is required and everything. */
function exampleBox(schema, schemas, onUse) {
  const box = el('pre', { class: 'code' });
  let text = '';
  const show = (full) => {
    text = JSON.stringify(schemas.example(schema, full), null, 2);
    replace(box, highlighted(text));
    few.setAttribute('aria-pressed', String(!full));
    all.setAttribute('aria-pressed', String(full));
  };
  const few = el('button', { type: 'button', onclick: () => show(false) }, 'Required');
  const all = el('button', { type: 'button', onclick: () => show(true) }, 'All members');
  show(true);
  return el('div', { class: 'example' },
    el('div', { class: 'bar' }, el('h3', {}, 'Example'),
      el('div', { class: 'switch', role: 'group', 'aria-label': 'Members shown' }, few, all),
      onUse && el('button', { type: 'button', class: 'quiet', onclick: () => onUse(text) }, 'Use in request'),
      copyButton(() => text)),
    box);
}

function bodySection(operation, schemas, onUse) {
  const content = contentOf(operation.requestBody);
  if (!content) return null;
  const name = schemas.simplify(content.schema).name;
  return el('section', {},
    el('h2', {}, 'Request body ', el('span', { class: 'aside' }, content.types.join(', '))),
    operation.requestBody.description && prose(operation.requestBody.description),
    el('p', { class: 'schema-name' }, name && el('code', {}, name),
      operation.requestBody.required ? el('span', { class: 'tag required' }, 'required')
        : el('span', { class: 'tag' }, 'optional')),
    schemas.tree(content.schema),
    /\bjson\b/.test(content.type) && exampleBox(content.schema, schemas, onUse));
}

function responseSection(operation, schemas) {
  const responses = Object.entries(operation.responses ?? {});
  if (responses.length === 0) return null;
  return el('section', {}, el('h2', {}, 'Responses'), responses.map(([status, response], index) => {
    const plain = schemas.resolve(response);
    const content = contentOf(plain);
    const kind = /^2/.test(status) ? 'good' : /^[45]/.test(status) ? 'bad' : 'other';
    const line = el('span', { class: 'response-line' },
      el('span', { class: `status ${kind}` }, status), el('span', {}, plain.description ?? ''),
      content && el('span', { class: 'aside' }, content.types.join(', ')));
    if (!content || Object.keys(content.schema).length === 0) {
      return el('div', { class: 'response plain' }, line);
    }
    const details = el('details', { class: 'response' }, el('summary', {}, line));
    const fill = () => {
      if (!details.open || details.filled) return;
      details.filled = true;
      details.append(schemas.tree(content.schema),
        /\bjson\b/.test(content.type) ? exampleBox(content.schema, schemas) : '');
    };
    details.addEventListener('toggle', fill);
    if (index === 0) {
      details.open = true;
      fill();
    }
    return details;
  }));
}

/** Draws an operation into the content area. */
export function operationPage(operation, schemas, session) {
  const panel = requestPanel(operation, schemas, session);
  return [
    el('article', { class: 'operation' },
      el('div', { class: 'operation-main' },
        el('p', { class: 'crumb' }, operation.group),
        el('h1', { tabindex: '-1' }, operation.summary || operation.path),
        el('div', { class: 'address' }, badge(operation.method), pathWithMarks(operation.path),
          copyButton(() => operation.path)),
        operation.deprecated && el('p', { class: 'warning' }, 'Deprecated: do not build on it.'),
        operation.description && prose(operation.description),
        securityText(operation),
        parameterTable(operation, schemas),
        bodySection(operation, schemas, panel.useBody),
        responseSection(operation, schemas)),
      panel.element),
  ];
}
