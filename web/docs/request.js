// The form that sends a request, the answer below it, and the same request for curl.

import { copyButton, el, highlighted, laidOut, replace } from './dom.js';
import { contentOf } from './schema.js';

const kShownBytes = 500000;

function fieldFor(parameter, schemas, onChange) {
  const { schema } = schemas.simplify(parameter.schema ?? {});
  const id = `field-${parameter.in}-${parameter.name}`;
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined);
  const hint = schema.default !== undefined && schema.default !== null ? String(schema.default)
    : schemas.typeText(parameter.schema ?? {});
  const input = choices
    ? el('select', { id, oninput: onChange }, !parameter.required && el('option', { value: '' }, '—'),
      choices.map((choice) => el('option', { value: String(choice) }, String(choice))))
    : el('input', { id, type: 'text', placeholder: hint, spellcheck: 'false', autocomplete: 'off', oninput: onChange });
  const row = el('div', { class: 'field' },
    el('label', { for: id }, parameter.name, parameter.required && el('span', { class: 'star', title: 'required' }, '*'),
      el('span', { class: 'place' }, parameter.in)),
    input);
  return { parameter, input, row };
}

/** Editors for the body: text, or one input for each part of a form. */
function bodyEditor(operation, schemas, onChange) {
  const content = contentOf(operation.requestBody);
  if (!content) return undefined;
  if (content.type !== 'multipart/form-data') {
    const area = el('textarea', { id: 'body', spellcheck: 'false', oninput: onChange });
    const text = /\bjson\b/.test(content.type)
      ? JSON.stringify(schemas.example(content.schema, false), null, 2) : '';
    area.value = text;
    area.rows = Math.min(Math.max(text.split('\n').length + 1, 5), 18);
    const element = el('div', { class: 'field wide' },
      el('label', { for: 'body' }, 'Body', el('span', { class: 'place' }, content.type)), area);
    return { content, element, area, read: () => area.value };
  }
  const { schema } = schemas.simplify(content.schema);
  const parts = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const { schema: plain } = schemas.simplify(member);
    const isFile = plain.format === 'binary' || plain.contentMediaType !== undefined;
    const input = el('input', { id: `part-${name}`, type: isFile ? 'file' : 'text', oninput: onChange });
    return { name, isFile, input };
  });
  const element = el('div', {}, parts.map((part) => el('div', { class: 'field' },
    el('label', { for: `part-${part.name}` }, part.name, el('span', { class: 'place' }, part.isFile ? 'file' : 'form')),
    part.input)));
  const read = () => {
    const form = new FormData();
    for (const part of parts) {
      if (part.isFile && part.input.files[0]) form.append(part.name, part.input.files[0]);
      else if (!part.isFile && part.input.value !== '') form.append(part.name, part.input.value);
    }
    return form;
  };
  return { content, element, parts, read };
}

/** How the operation wants the key: 'bearer', 'basic' or nothing. */
function credentialKind(operation, document) {
  const names = (operation.security ?? []).flatMap((choice) => Object.keys(choice));
  const kinds = names.map((name) => document.components?.securitySchemes?.[name]?.scheme ?? name.toLowerCase());
  return kinds.includes('bearer') ? 'bearer' : kinds.includes('basic') ? 'basic' : undefined;
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function curlText(request, kind, body) {
  const lines = [`curl ${request.method === 'GET' ? '' : `-X ${request.method} `}${quoted(request.url)}`];
  if (kind === 'bearer') lines.push('-H "Authorization: Bearer $SPINDLE_API_KEY"');
  if (kind === 'basic') lines.push('-u "api:$SPINDLE_API_KEY"');
  for (const [name, value] of request.headers) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body?.parts) {
    for (const part of body.parts) {
      if (part.isFile) lines.push(`-F ${quoted(`${part.name}=@${part.input.files[0]?.name ?? 'FILE'}`)}`);
      else if (part.input.value !== '') lines.push(`-F ${quoted(`${part.name}=${part.input.value}`)}`);
    }
  } else if (body && body.read() !== '') {
    lines.push(`-H ${quoted(`Content-Type: ${body.content.type}`)}`, `--data-raw ${quoted(body.read())}`);
  }
  return lines.join(' \\\n  ');
}

function sizeText(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

function shownBody(text, type) {
  if (text === '') return el('p', { class: 'empty' }, 'No body.');
  let shown = text.slice(0, kShownBytes);
  if (/\bjson\b/.test(type) && text.length <= kShownBytes) {
    try {
      JSON.parse(text);
      shown = laidOut(text);
    } catch { /* shown as it came */ }
  }
  return [el('pre', { class: 'code answer-body', tabindex: '0' },
    /\bjson\b/.test(type) ? highlighted(shown) : el('code', {}, shown)),
    text.length > kShownBytes && el('p', { class: 'empty' }, `The first ${sizeText(kShownBytes)} are shown.`)];
}

/** Reads an answer piece by piece, so that a stream of events is seen as it comes. */
async function readBody(response, onPiece) {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    onPiece(text);
  }
}

export function requestPanel(operation, schemas, session) {
  const kind = credentialKind(operation, schemas.document);
  const curl = el('pre', { class: 'code curl' });
  const answer = el('div', { class: 'answer', 'aria-live': 'polite' });
  let curlNow = '';
  let sending;

  const refresh = () => {
    curlNow = curlText(currentRequest(), kind, body);
    replace(curl, el('code', {}, curlNow));
  };
  const fields = operation.parameters.map((parameter) => fieldFor(parameter, schemas, refresh));
  const body = bodyEditor(operation, schemas, refresh);

  function currentRequest() {
    let path = operation.path;
    const query = new URLSearchParams();
    const headers = [];
    for (const { parameter, input } of fields) {
      const value = input.value;
      if (parameter.in === 'path') {
        path = path.replace(`{${parameter.name}}`, value === '' ? `{${parameter.name}}` : encodeURIComponent(value));
      } else if (value !== '' && parameter.in === 'query') {
        query.append(parameter.name, value);
      } else if (value !== '' && parameter.in === 'header') {
        headers.push([parameter.name, value]);
      }
    }
    const tail = query.toString();
    const url = session.base + path.replace(/^\//, '') + (tail ? `?${tail}` : '');
    return { method: operation.method.toUpperCase(), url, headers };
  }

  async function send() {
    const missing = fields.find(({ parameter, input }) => parameter.required && input.value === '');
    if (missing) {
      missing.input.focus();
      replace(answer, el('p', { class: 'warning' }, `${missing.parameter.name} is required.`));
      return;
    }
    const request = currentRequest();
    const headers = new Headers(request.headers);
    if (kind === 'bearer' && session.key) headers.set('Authorization', `Bearer ${session.key}`);
    if (kind === 'basic' && session.key) headers.set('Authorization', `Basic ${base64(`api:${session.key}`)}`);
    let payload = body?.read();
    if (payload === '') payload = undefined;
    if (payload !== undefined && !body.parts) headers.set('Content-Type', body.content.type);
    sending = new AbortController();
    button.textContent = 'Stop';
    replace(answer, el('p', { class: 'empty' }, 'Waiting for the answer…'));
    const began = performance.now();
    try {
      const response = await fetch(request.url,
        { method: request.method, headers, body: payload, signal: sending.signal, credentials: 'omit', cache: 'no-store' });
      await show(response, began);
    } catch (error) {
      const stopped = error.name === 'AbortError';
      answer.append(el('p', { class: 'warning' },
        stopped ? 'Stopped.' : `The request failed: ${error.message}. Is the server still running?`));
    } finally {
      sending = undefined;
      button.textContent = 'Send';
    }
  }

  async function show(response, began) {
    const kindOfStatus = response.ok ? 'good' : response.status >= 400 ? 'bad' : 'other';
    const time = el('span', { class: 'aside' });
    const shown = el('div');
    const type = response.headers.get('Content-Type') ?? '';
    let text = '';
    replace(answer,
      el('div', { class: 'bar' },
        el('span', { class: `status ${kindOfStatus}` }, `${response.status} ${response.statusText}`.trim()), time,
        copyButton(() => text)),
      el('details', { class: 'headers' },
        el('summary', {}, `Headers (${[...response.headers].length})`),
        el('dl', {}, [...response.headers].map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]))),
      shown);
    time.textContent = `${Math.round(performance.now() - began)} ms`;
    const isStream = type.startsWith('text/event-stream') || type.includes('ndjson') || type.includes('jsonl');
    text = await readBody(response, (part) => {
      text = part;
      if (isStream) replace(shown, el('pre', { class: 'code answer-body', tabindex: '0' }, el('code', {}, part.slice(-kShownBytes))));
    });
    const size = new Blob([text]).size;
    time.textContent = `${Math.round(performance.now() - began)} ms · ${sizeText(size)}`;
    replace(shown, shownBody(text, type));
  }

  const button = el('button', { type: 'submit', class: 'send' }, 'Send');
  const form = el('form', { class: 'request-form', autocomplete: 'off', onsubmit: (event) => {
    event.preventDefault();
    if (sending) sending.abort();
    else send();
  } },
  kind && el('p', { class: 'key-hint' }, `Sends the API key above as ${kind === 'bearer' ? 'Bearer' : 'Basic'}.`),
  fields.map(({ row }) => row), body?.element, el('div', { class: 'send-line' }, button,
    el('span', { class: 'aside' }, 'Ctrl + Enter')));
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  refresh();

  const element = el('aside', { class: 'panel', 'aria-label': 'Try it' },
    el('h2', {}, 'Try it'), form, answer,
    el('div', { class: 'bar' }, el('h3', {}, 'curl'), copyButton(() => curlNow)), curl);
  const useBody = body?.area && ((text) => {
    body.area.value = text;
    refresh();
    body.area.focus();
  });
  return { element, useBody };
}
