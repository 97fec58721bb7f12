// JSON Lines: one value per line, handed on while they arrive.

import { send } from "./client";
import { ApiError } from "./errors";
import type { Page } from "./paging";
import type { QueryValues } from "./urls";

/** Splits the text of a stream into lines. Empty lines are left out. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  // Parts of the unfinished line are joined once: joining on each chunk is quadratic for long lines.
  let parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        parts.push(text.slice(start, end));
        const line = parts.join("").trim();
        parts = [];
        start = end + 1;
        if (line !== "") yield line;
      }
      if (start < text.length) parts.push(text.slice(start));
      if (done) break;
    }
    const last = parts.join("").trim();
    if (last !== "") yield last;
  } finally {
    reader.releaseLock();
  }
}

export interface LinesOptions {
  method?: "GET" | "POST";
  query?: QueryValues;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** Sends a read and yields the values of its lines. */
export async function* streamLines<T>(path: string, options: LinesOptions = {}): AsyncGenerator<T> {
  const { method = "POST", ...rest } = options;
  const response = await send(method, path, { ...rest, read: true });
  if (!response.body) return;
  for await (const line of linesOf(response.body)) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new ApiError(-1, "The answer of the server was cut off.", null, response.headers.get("X-Request-Id"));
    }
    yield value as T;
  }
}

/** Sends a read and returns the values of all its lines. */
export async function readLines<T>(path: string, options: LinesOptions = {}): Promise<T[]> {
  const values: T[] = [];
  for await (const value of streamLines<T>(path, options)) values.push(value);
  return values;
}

/** Sends a read whose last line tells the cursor of the next page, and returns the page. */
export async function readPage<T extends object>(path: string, options: LinesOptions): Promise<Page<T>> {
  const page: Page<T> = { items: [], next_cursor: null };
  for await (const line of streamLines<T | { next_cursor: string | null }>(path, options)) {
    // Only the line of the cursor has no other member.
    if ("next_cursor" in line && Object.keys(line).length === 1) page.next_cursor = line.next_cursor;
    else page.items.push(line as T);
  }
  return page;
}
