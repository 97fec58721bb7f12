// Addresses of the API, relative to the page: the console works below any base path.

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[];

/** Names and values of a query string. Null, undefined and "" are left out; lists repeat the name. */
export type QueryValues = Record<string, QueryValue>;

/** Returns the path of the console with a slash at its end: `/console/`, or `/prefix/console/`. */
export function consolePath(): string {
  return new URL(".", document.baseURI).pathname;
}

/** Returns the URL of a path of the server, such as `api/v1/me`. */
export function url(path: string, query: QueryValues = {}): string {
  const result = new URL(path, new URL("..", document.baseURI));
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && item !== undefined && item !== "") result.searchParams.append(name, String(item));
    }
  }
  return result.href;
}

/** A part of a path whose slashes stay: `team/project`, or the path of a file. */
export class Segments {
  constructor(readonly text: string) {}
}

export function segments(text: string): Segments {
  return new Segments(text);
}

function encode(value: string | number | Segments): string {
  // A lone "." or ".." would be resolved away even when percent-encoded, and means nothing to the server.
  const part = (text: string) => (/^\.{1,2}$/.test(text) ? text.replaceAll(".", "%252E") : encodeURIComponent(text));
  return value instanceof Segments ? value.text.split("/").map(part).join("/") : part(String(value));
}

/** Builds a path from literal text and encoded values: path`api/v1/teams/${team}/secrets`. */
export function path(literals: TemplateStringsArray, ...values: (string | number | Segments)[]): string {
  return literals.reduce((text, literal, index) => text + encode(values[index - 1] ?? "") + literal);
}
