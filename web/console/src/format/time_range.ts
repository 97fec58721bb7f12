// Time ranges of lists and plots: `last 24 h`, or a span between two moments. The URL holds their short form.

import { parseDuration } from "./durations.ts";
import { type Zone, formatClockTime, formatDay, formatTime, parseTime, toMilliseconds, zoneName } from "./time.ts";

/** The last milliseconds before now, a span (`to` is exclusive, null is open), or all time. */
export type TimeRange =
  | { kind: "last"; milliseconds: number }
  | { kind: "span"; from: number; to: number | null }
  | { kind: "all" };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const ALL_TIME: TimeRange = { kind: "all" };
export const LAST_DAY: TimeRange = { kind: "last", milliseconds: DAY };

/** The ranges that a picker offers. */
export const PRESETS: TimeRange[] = [
  ...[HOUR / 4, HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY].map((milliseconds) => ({ kind: "last" as const, milliseconds })),
  ALL_TIME,
];

/** Returns the bounds in milliseconds at `now`. `null` is open. */
export function boundsOf(range: TimeRange, now: number): { from: number | null; to: number | null } {
  if (range.kind === "all") return { from: null, to: null };
  if (range.kind === "last") return { from: now - range.milliseconds, to: null };
  return { from: range.from, to: range.to };
}

const UNITS: [number, string][] = [[7 * DAY, "w"], [DAY, "d"], [HOUR, "h"], [60_000, "m"], [1000, "s"]];

/** `last 24 h`, `last 7 d`. A day reads as 24 hours, because it is no calendar day. */
function lastText(milliseconds: number): string {
  if (milliseconds === DAY) return "24 h";
  const [size, unit] = UNITS.slice(1).find(([step]) => milliseconds % step === 0) ?? [1, "ms"];
  return `${milliseconds / size} ${unit === "m" ? "min" : unit}`;
}

/** The text of a range on a button: `last 24 h`, `all time`, `2026-11-17 08:00 – 09:30 UTC`. */
export function formatTimeRange(range: TimeRange, zone: Zone = "utc"): string {
  if (range.kind === "all") return "all time";
  if (range.kind === "last") return `last ${lastText(range.milliseconds)}`;
  const name = zoneName(range.from, zone);
  if (range.to === null) return `since ${shortMoment(range.from, zone)} ${name}`;
  const sameDay = formatDay(range.from, zone) === formatDay(range.to, zone);
  if (!sameDay && isMidnight(range.from, zone) && isMidnight(range.to, zone)) {
    const last = range.to - 1;
    const days = formatDay(range.from, zone) === formatDay(last, zone)
      ? formatDay(range.from, zone)
      : `${formatDay(range.from, zone)} – ${formatDay(last, zone)}`;
    return `${days} ${name}`;
  }
  const end = sameDay ? shortClock(range.to, zone) : shortMoment(range.to, zone);
  return `${formatDay(range.from, zone)} ${shortClock(range.from, zone)} – ${end} ${name}`;
}

function isMidnight(time: number, zone: Zone): boolean {
  return formatClockTime(time, zone, true) === "00:00:00.000";
}

function shortClock(time: number, zone: Zone): string {
  const text = formatClockTime(time, zone);
  return text.endsWith(":00") ? text.slice(0, 5) : text;
}

function shortMoment(time: number, zone: Zone): string {
  return isMidnight(time, zone) ? formatDay(time, zone) : `${formatDay(time, zone)} ${shortClock(time, zone)}`;
}

/** The form of a range in a URL: `24h`, `all`, `2026-11-17T08:00:00.000Z~2026-11-17T09:30:00.000Z`. */
export function printTimeRange(range: TimeRange): string {
  if (range.kind === "all") return "all";
  if (range.kind === "last") return lastText(range.milliseconds).replace(" min", "m").replace(" ", "");
  const to = range.to === null ? "" : new Date(range.to).toISOString();
  return `${new Date(range.from).toISOString()}~${to}`;
}

/** Reads the form of a URL. Returns null for anything else. */
export function parseTimeRange(text: string): TimeRange | null {
  if (text === "all") return ALL_TIME;
  const [start, end, more] = text.split("~");
  if (end === undefined) {
    const milliseconds = parseDuration(text);
    return milliseconds === null || milliseconds <= 0 ? null : { kind: "last", milliseconds };
  }
  const from = toMilliseconds(start ?? "");
  const to = end === "" ? null : toMilliseconds(end);
  if (more !== undefined || Number.isNaN(from) || (to !== null && (Number.isNaN(to) || to <= from))) return null;
  return { kind: "span", from, to };
}

/** Reads the two texts of a picker. An empty end is open; a day or minute as the end is included. */
export function spanFromTexts(start: string, end: string, zone: Zone): TimeRange | string {
  const from = parseTime(start, zone);
  if (!from) return "Write the start as 2026-11-18 or 2026-11-18 08:30.";
  if (end.trim() === "") return { kind: "span", from: from.from, to: null };
  const to = parseTime(end, zone);
  if (!to) return "Write the end as 2026-11-18 or 2026-11-18 08:30, or leave it empty.";
  if (to.to < from.from) return "The end is before the start.";
  return { kind: "span", from: from.from, to: to.to + 1 };
}

/** The text of a moment for the inputs of a picker. */
export function inputTime(time: number, zone: Zone): string {
  return formatTime(time, zone).replace(/ 00:00:00$/, "").replace(/:00$/, "");
}
