// State in the query string: filters, sort, columns, selection, tab. The address is the truth.

import { useLocation } from "preact-iso/router";
import { useCallback, useMemo } from "preact/hooks";

import { navigateTo } from "./location";

/** How a value is written into the query string. `write` returns null for the value that needs no mention. */
export interface Codec<T> {
  read(text: string | null): T;
  write(value: T): string | null;
}

export const codecs = {
  text(initial = ""): Codec<string> {
    return { read: (text) => text ?? initial, write: (value) => (value === initial ? null : value) };
  },
  number(initial: number): Codec<number> {
    return {
      read: (text) => (text !== null && text !== "" && Number.isFinite(Number(text)) ? Number(text) : initial),
      write: (value) => (value === initial ? null : String(value)),
    };
  },
  flag(initial = false): Codec<boolean> {
    return {
      read: (text) => (text === null ? initial : text === "1"),
      write: (value) => (value === initial ? null : value ? "1" : "0"),
    };
  },
  /** One of some words; anything else in the address counts as the first. */
  oneOf<T extends string>(first: T, ...others: T[]): Codec<T> {
    const words = [first, ...others];
    return {
      read: (text) => words.find((word) => word === text) ?? first,
      write: (value) => (value === first ? null : value),
    };
  },
  /** Texts separated by commas; commas inside a text are escaped. */
  list(initial: readonly string[] = []): Codec<string[]> {
    const print = (values: readonly string[]) =>
      values.map((value) => value.replaceAll("\\", "\\\\").replaceAll(",", "\\,")).join(",");
    return {
      read(text) {
        if (text === null) return [...initial];
        if (text === "") return [];
        const parts = text.match(/(?:\\.|[^,\\])+/g) ?? [];
        return parts.map((part) => part.replace(/\\(.)/g, "$1"));
      },
      write: (values) => (print(values) === print(initial) ? null : print(values)),
    };
  },
};

export interface SetOptions {
  /** True: no new entry in the history. For changes that the back button need not undo. */
  replace?: boolean;
}

/** Writes several values of the query string at once; null removes one. */
export function setUrlState(values: Record<string, string | null>, options: SetOptions = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  const next = url.pathname + url.search;
  if (next !== location.pathname + location.search) navigateTo(next, options);
}

/** State under a name in the query string. */
export function useUrlState<T>(name: string, codec: Codec<T>): [T, (value: T, options?: SetOptions) => void] {
  const { url } = useLocation();
  const text = useMemo(() => new URL(url, location.origin).searchParams.get(name), [url, name]);
  const value = useMemo(() => codec.read(text), [text]);
  const set = useCallback(
    (next: T, options: SetOptions = {}) => setUrlState({ [name]: codec.write(next) }, options),
    [name],
  );
  return [value, set];
}
