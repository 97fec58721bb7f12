// Sample requests generated from the schemas of /openapi.json, with the positions of their strings.

/** Depth from which a sample takes the shortest alternative. */
const MAX_DEPTH = 7;

/** Generates samples of the schemas of an OpenAPI document. */
export class Sampler {
  /**
   * document  the OpenAPI document
   * values    strings by member name
   */
  constructor(document, values) {
    this.document = document;
    this.values = values;
  }

  /**
   * Generates a sample of a schema. `variant` chooses among alternatives.
   *
   * Returns {value, texts}. Each text is {path, name, key}: its position in the value, the name of the
   * nearest member, and a key that is equal for the same position of the same schema.
   */
  sample(schema, variant) {
    this.texts = [];
    this.variant = variant;
    const value = this.#value(schema, [], "", "", 0);
    return { value, texts: this.texts };
  }

  resolved(schema) {
    let at = schema;
    while (at?.$ref) at = this.document.components.schemas[at.$ref.split("/").at(-1)];
    return at ?? {};
  }

  #alternatives(schema) {
    const all = schema.anyOf ?? schema.oneOf;
    return all?.filter((each) => this.resolved(each).type !== "null");
  }

  /** Chooses among alternatives; at MAX_DEPTH the one that ends soonest. */
  #choose(alternatives, depth) {
    const leaf = alternatives.findIndex((each) => /Literal|GetField/.test(this.resolved(each).title ?? "") || this.#isScalar(each));
    const index = depth >= MAX_DEPTH && leaf >= 0 ? leaf : this.variant % alternatives.length;
    return [index, alternatives[index]];
  }

  #isScalar(schema) {
    return ["string", "integer", "number", "boolean"].includes(this.resolved(schema).type);
  }

  #value(given, path, name, key, depth) {
    const schema = this.resolved(given);
    const alternatives = this.#alternatives(schema);
    if (alternatives?.length > 0) {
      const [index, chosen] = this.#choose(alternatives, depth);
      return this.#value(chosen, path, name, alternatives.length > 1 ? `${key}|${index}` : key, depth + 1);
    }
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => this.#value(each, path, name, key, depth)));
    if (schema.const !== undefined && typeof schema.const !== "string") return schema.const;
    const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
    if (type === "object" || schema.properties) return this.#object(schema, path, key, depth);
    if (type === "array") return this.#array(schema, path, name, key, depth);
    if (type === "integer" || type === "number") return this.#number(schema, name);
    if (type === "boolean") return this.variant % 2 === 0;
    return this.#text(schema, path, name, key);
  }

  #object(schema, path, key, depth) {
    const value = {};
    const required = schema.required ?? [];
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (depth > MAX_DEPTH + 3 && !required.includes(name)) continue;
      if (this.values[name] === null) continue;
      value[name] = this.#value(member, [...path, name], name, `${key}.${name}`, depth + 1);
    }
    const more = schema.additionalProperties;
    if (more && Object.keys(schema.properties ?? {}).length === 0) {
      const name = "member";
      this.texts.push({ path: [...path, name], name, key: `${key}.<name>`, isName: true });
      value[name] = more === true ? "text" : this.#value(more, [...path, name], name, `${key}.*`, depth + 1);
    }
    return value;
  }

  #array(schema, path, name, key, depth) {
    if (schema.prefixItems) {
      return schema.prefixItems.map((item, i) => this.#value(item, [...path, i], name, `${key}[${i}]`, depth + 1));
    }
    if (depth > MAX_DEPTH + 3 || schema.maxItems === 0) return [];
    return [this.#value(schema.items ?? {}, [...path, 0], name, `${key}[]`, depth + 1)];
  }

  #number(schema, name) {
    if (typeof this.values[name] === "number") return this.values[name];
    const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1);
    return Math.min(Math.max(1, least), schema.maximum ?? Infinity);
  }

  #text(schema, path, name, key) {
    this.texts.push({ path, name, key, isEnum: schema.enum !== undefined || schema.const !== undefined });
    if (schema.const !== undefined) return schema.const;
    if (this.values[name] !== undefined) return this.values[name];
    if (schema.enum) return schema.enum[this.variant % schema.enum.length];
    if (schema.format === "date-time") return "2024-05-01T00:00:00.000Z";
    if (schema.format === "date") return "2024-05-01";
    return "text";
  }
}

/** Returns a copy of the value with the string at one position replaced. */
export function withText(value, { path, isName }, text) {
  const copy = structuredClone(value);
  let at = copy;
  for (const step of path.slice(0, -1)) at = at[step];
  const last = path.at(-1);
  if (!isName) {
    at[last] = text;
  } else {
    at[text] = at[last];
    delete at[last];
  }
  return copy;
}
