// Reads JSON Schema as OpenAPI 3.1 uses it: names types, draws trees, makes examples.

import { el, prose } from './dom.js';

/** The content of a body: its schema and media type, JSON before others; nothing when it has none. */
export function contentOf(holder) {
  const content = holder?.content ?? {};
  const types = Object.keys(content);
  const type = types.find((name) => /\bjson\b/.test(name)) ?? types[0];
  return type === undefined ? undefined : { type, types, schema: content[type].schema ?? {} };
}

/** The schemas of one document. */
export class Schemas {
  constructor(document) {
    this.document = document;
  }

  /** Follows `$ref`; what stands beside it (a description, a default) wins. */
  resolve(schema) {
    let current = schema === true || schema === undefined ? {} : schema;
    for (let hops = 0; current && current.$ref && hops < 16; hops += 1) {
      const { $ref, ...beside } = current;
      const target = $ref.split('/').slice(1)
        .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce((node, step) => node?.[step], this.document);
      current = { ...(target ?? {}), ...beside };
    }
    return current ?? {};
  }

  static nameOf(schema) {
    return schema?.$ref ? decodeURIComponent(schema.$ref.split('/').pop()) : undefined;
  }

  /** Takes null out of a union, and joins allOf: what is left is easier to show. */
  simplify(schema) {
    let name = Schemas.nameOf(schema);
    let plain = this.resolve(schema);
    let nullable = false;
    for (const key of ['anyOf', 'oneOf']) {
      const options = plain[key];
      if (!options) continue;
      const others = options.filter((option) => this.resolve(option).type !== 'null');
      nullable ||= others.length < options.length;
      if (others.length === 1) {
        const { [key]: _, ...beside } = plain;
        const inner = this.simplify(others[0]);
        name = inner.name;
        nullable ||= inner.nullable;
        plain = { ...inner.schema, ...beside };
      } else if (others.length < options.length) {
        plain = { ...plain, [key]: others };
      }
    }
    if (Array.isArray(plain.type)) {
      const types = plain.type.filter((type) => type !== 'null');
      nullable ||= types.length < plain.type.length;
      plain = { ...plain, type: types.length === 1 ? types[0] : types };
    }
    if (plain.allOf) {
      const { allOf, ...beside } = plain;
      const parts = allOf.map((part) => this.simplify(part).schema);
      if (allOf.length === 1 && !name) name = Schemas.nameOf(allOf[0]);
      plain = Object.assign({}, ...parts, beside, {
        properties: Object.assign({}, ...parts.map((part) => part.properties), beside.properties),
        required: [...parts, beside].flatMap((part) => part.required ?? []),
      });
      if (Object.keys(plain.properties).length === 0) delete plain.properties;
    }
    return { schema: plain, name, nullable: nullable || plain.nullable === true };
  }

  /** One line: `string (date-time)`, `array of Call`, `map of integer`. */
  typeText(schema, depth = 0) {
    const { schema: plain, name } = this.simplify(schema);
    if ('const' in plain) return JSON.stringify(plain.const);
    const options = plain.anyOf ?? plain.oneOf;
    if (options) {
      if (depth > 1 || options.length > 4) return name ?? `one of ${options.length}`;
      return options.map((option) => this.typeText(option, depth + 1)).join(' | ');
    }
    const type = Array.isArray(plain.type) ? plain.type.join(' | ') : plain.type;
    if (type === 'array' || plain.items || plain.prefixItems) {
      if (plain.prefixItems) {
        return `[${plain.prefixItems.map((item) => this.typeText(item, depth + 1)).join(', ')}]`;
      }
      return plain.items ? `array of ${this.typeText(plain.items, depth + 1)}` : 'array';
    }
    if (type === 'object' || plain.properties) {
      if (!plain.properties && typeof plain.additionalProperties === 'object') {
        return `map of ${this.typeText(plain.additionalProperties, depth + 1)}`;
      }
      return name ?? 'object';
    }
    if (!type) return plain.enum ? 'enum' : 'any';
    return plain.format ? `${type} (${plain.format})` : type;
  }

  // ---- the tree ----

  /** A readable tree of a whole schema. */
  tree(schema) {
    const { schema: plain } = this.simplify(schema);
    const children = this.children(plain, 0);
    if (children) return el('div', { class: 'tree' }, children);
    return el('div', { class: 'tree' }, this.row('', schema, false, 0));
  }

  /** What stands inside: members, items, alternatives; null for a plain value. */
  children(plain, depth) {
    const options = plain.anyOf ?? plain.oneOf;
    if (options) {
      const word = plain.discriminator
        ? `One of these, told apart by ${plain.discriminator.propertyName}`
        : plain.oneOf ? 'One of these' : 'Any of these';
      return el('div', { class: 'options' }, el('p', { class: 'options-title' }, word),
        el('ul', {}, options.map((option) => el('li', {}, this.row('', option, false, depth + 1)))));
    }
    if (plain.prefixItems) {
      return el('ul', {}, plain.prefixItems.map((item, index) =>
        el('li', {}, this.row(`[${index}]`, item, true, depth + 1))));
    }
    if (plain.items) {
      const inner = this.simplify(plain.items).schema;
      return this.children(inner, depth);
    }
    const rows = Object.entries(plain.properties ?? {}).map(([name, member]) =>
      el('li', {}, this.row(name, member, (plain.required ?? []).includes(name), depth + 1)));
    const others = plain.additionalProperties;
    if (others && typeof others === 'object' && Object.keys(others).length > 0) {
      rows.push(el('li', {}, this.row('any other name', others, false, depth + 1, true)));
    }
    return rows.length > 0 ? el('ul', {}, rows) : null;
  }

  row(name, schema, required, depth, is_pattern = false) {
    const { schema: plain, nullable } = this.simplify(schema);
    const line = el('div', { class: 'row-line' },
      name && el('code', { class: is_pattern ? 'member pattern' : 'member' }, name),
      el('span', { class: 'type' }, this.typeText(schema)),
      nullable && el('span', { class: 'tag' }, 'nullable'),
      required && el('span', { class: 'tag required' }, 'required'),
      plain.deprecated && el('span', { class: 'tag deprecated' }, 'deprecated'),
      plain.readOnly && el('span', { class: 'tag' }, 'read only'));
    const notes = [facts(plain), plain.description && prose(plain.description, 'note')];
    if (!this.hasChildren(plain)) return el('div', { class: 'row' }, line, notes);
    // Inner levels are drawn when they are opened: types may contain themselves.
    const details = el('details', { class: 'row' }, el('summary', {}, line), notes);
    const fill = () => {
      if (details.open && !details.filled) {
        details.filled = true;
        details.append(this.children(plain, depth));
      }
    };
    details.addEventListener('toggle', fill);
    if (depth < 2 && countOf(plain) <= 12) {
      details.open = true;
      fill();
    }
    return details;
  }

  hasChildren(plain) {
    if (plain.anyOf || plain.oneOf || plain.prefixItems) return true;
    if (plain.items) return this.hasChildren(this.simplify(plain.items).schema);
    const others = plain.additionalProperties;
    return Object.keys(plain.properties ?? {}).length > 0 ||
      (others && typeof others === 'object' && Object.keys(others).length > 0);
  }

  // ---- examples ----

  /** A value that fits. `full` has every member, else those that are required. */
  example(schema, full, depth = 0) {
    const { schema: plain, nullable } = this.simplify(schema);
    if ('const' in plain) return plain.const;
    if ('example' in plain) return plain.example;
    if (Array.isArray(plain.examples) && plain.examples.length > 0) return plain.examples[0];
    if (plain.default !== undefined && (plain.default !== null || depth > 0)) return plain.default;
    if (plain.enum) return plain.enum[0];
    if (depth > 6) return nullable ? null : this.isArray(plain) ? [] : {};
    const options = plain.anyOf ?? plain.oneOf;
    if (options) return this.example(options[0], full, depth + 1);
    if (plain.prefixItems) {
      return plain.prefixItems.map((item) => this.example(item, full, depth + 1));
    }
    if (this.isArray(plain)) {
      const count = Math.min(Math.max(plain.minItems ?? 1, full || plain.minItems ? 1 : 0), 3);
      return Array.from({ length: count }, () => this.example(plain.items ?? {}, full, depth + 1));
    }
    if (plain.type === 'object' || plain.properties || plain.additionalProperties) {
      return this.exampleObject(plain, full, depth);
    }
    return exampleScalar(plain);
  }

  isArray(plain) {
    return plain.type === 'array' || Boolean(plain.items);
  }

  exampleObject(plain, full, depth) {
    const required = plain.required ?? [];
    const names = Object.keys(plain.properties ?? {})
      .filter((name) => (full && depth < 4) || required.includes(name));
    const object = {};
    for (const name of names) object[name] = this.example(plain.properties[name], full, depth + 1);
    const others = plain.additionalProperties;
    if (full && names.length === 0 && others && typeof others === 'object' && depth < 4) {
      object.name = this.example(others, full, depth + 1);
    }
    return object;
  }
}

function countOf(plain) {
  return Object.keys(plain.properties ?? {}).length + (plain.anyOf ?? plain.oneOf ?? []).length;
}

function exampleScalar(plain) {
  const type = Array.isArray(plain.type) ? plain.type[0] : plain.type;
  switch (type) {
    case 'integer':
    case 'number': {
      const low = plain.minimum ?? (plain.exclusiveMinimum !== undefined ? plain.exclusiveMinimum + 1 : 0);
      const high = plain.maximum ?? Infinity;
      return Math.min(Math.max(low, 0), high);
    }
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return exampleString(plain);
    default:
      return {};
  }
}

function exampleString(plain) {
  const byFormat = {
    'date-time': '2025-01-01T00:00:00Z',
    date: '2025-01-01',
    uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
    uri: 'https://example.org/',
    email: 'someone@example.org',
    binary: '',
    byte: '',
  };
  let text = byFormat[plain.format] ?? 'string';
  if (plain.maxLength !== undefined) text = text.slice(0, plain.maxLength);
  return text.padEnd(Math.min(plain.minLength ?? 0, 200), 'x');
}

/** Default, bounds, pattern and allowed values in one line of small facts. */
function facts(plain) {
  const list = [];
  const fact = (label, value) => list.push(el('span', { class: 'fact' }, `${label} `,
    el('code', {}, typeof value === 'string' ? value : JSON.stringify(value))));
  if (plain.default !== undefined && plain.default !== null) fact('default', plain.default);
  if (plain.minLength !== undefined) fact('min length', plain.minLength);
  if (plain.maxLength !== undefined) fact('max length', plain.maxLength);
  if (plain.minimum !== undefined) fact('≥', plain.minimum);
  if (plain.exclusiveMinimum !== undefined) fact('>', plain.exclusiveMinimum);
  if (plain.maximum !== undefined) fact('≤', plain.maximum);
  if (plain.exclusiveMaximum !== undefined) fact('<', plain.exclusiveMaximum);
  if (plain.multipleOf !== undefined) fact('multiple of', plain.multipleOf);
  if (plain.minItems !== undefined) fact('min items', plain.minItems);
  if (plain.maxItems !== undefined) fact('max items', plain.maxItems);
  if (plain.uniqueItems) list.push(el('span', { class: 'fact' }, 'unique items'));
  if (plain.pattern !== undefined) fact('pattern', plain.pattern);
  if (plain.additionalProperties === false) {
    list.push(el('span', { class: 'fact' }, 'no other members'));
  }
  const allowed = plain.enum ?? plain.items?.enum;
  if (allowed) {
    list.push(el('span', { class: 'fact' }, 'allowed ',
      allowed.map((value) => el('code', { class: 'value' }, JSON.stringify(value)))));
  }
  return list.length > 0 ? el('div', { class: 'facts' }, list) : null;
}
