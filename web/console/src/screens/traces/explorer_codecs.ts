// How the state of the explorer is written into the address.

import type { Codec } from "../../app/url_state";
import { LAST_DAY, type TimeRange, parseTimeRange, printTimeRange } from "../../format/time_range";
import type { ColumnLayout } from "../../ui/list/columns";
import type { GridSort } from "../../ui/list/grid_header";

/** Fields of the server by the key of the column. */
export const SORT_FIELDS: Readonly<Record<string, string>> = {
  time: "started_at",
  name: "summary.svc.trace_name",
  latency: "summary.svc.latency_ms",
};

export const NEWEST_FIRST: GridSort = { key: "time", descending: true };

export const rangeCodec: Codec<TimeRange> = {
  read: (text) => (text === null ? null : parseTimeRange(text)) ?? LAST_DAY,
  write: (range) => (printTimeRange(range) === printTimeRange(LAST_DAY) ? null : printTimeRange(range)),
};

export const sortCodec: Codec<GridSort> = {
  read(text) {
    const [key = "", order] = (text ?? "").split(":");
    return Object.hasOwn(SORT_FIELDS, key) ? { key, descending: order !== "asc" } : NEWEST_FIRST;
  },
  write: ({ key, descending }) =>
    key === NEWEST_FIRST.key && descending ? null : `${key}:${descending ? "desc" : "asc"}`,
};

/** Layouts are few short words: `shown` columns, `hidden` ones, order and widths, each only where it was changed. */
export const layoutCodec: Codec<ColumnLayout> = {
  read(text) {
    if (!text) return {};
    try {
      const { o, h, s, w } = JSON.parse(text) as Record<string, unknown>;
      const texts = (value: unknown) => (Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, 64) : []);
      const widths = Object.entries(typeof w === "object" && w !== null ? w : {}).filter(([, width]) => typeof width === "number");
      return {
        ...(o ? { order: texts(o) } : {}),
        ...(h ? { hidden: texts(h) } : {}),
        ...(s ? { shown: texts(s) } : {}),
        ...(widths.length > 0 ? { widths: Object.fromEntries(widths.slice(0, 64)) as Record<string, number> } : {}),
      };
    } catch {
      return {};
    }
  },
  write({ order = [], hidden = [], shown = [], widths = {} }) {
    const members = {
      ...(order.length > 0 ? { o: order } : {}),
      ...(hidden.length > 0 ? { h: hidden } : {}),
      ...(shown.length > 0 ? { s: shown } : {}),
      ...(Object.keys(widths).length > 0 ? { w: widths } : {}),
    };
    return Object.keys(members).length === 0 ? null : JSON.stringify(members);
  },
};

/** The names in the address that a saved view holds. */
export const VIEW_NAMES = ["q", "range", "scope", "sort", "cols"] as const;

/** Returns the part of a query string that a saved view holds, in a fixed order. */
export function viewSearch(search: string): string {
  const from = new URLSearchParams(search);
  const to = new URLSearchParams();
  for (const name of VIEW_NAMES) {
    const value = from.get(name);
    if (value) to.set(name, value);
  }
  return to.toString();
}
