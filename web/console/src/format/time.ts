// Points in time: absolute in UTC or in the browser's zone, and relative to now.

import { NOTHING } from "./numbers.ts";

/** The zone that a reader prefers. */
export type Zone = "utc" | "local";

/** A time as the API and the browser give it: ISO 8601, milliseconds since 1970, or a date. */
export type TimeValue = string | number | Date;

/** Returns milliseconds since 1970, with the microseconds of an ISO text as a fraction; NaN if it is no time. */
export function toMilliseconds(time: TimeValue): number {
  if (typeof time === "number") return time;
  if (time instanceof Date) return time.getTime();
  const whole = Date.parse(time);
  const fraction = /\.\d{3}(\d{1,6})/.exec(time)?.[1];
  return fraction === undefined ? whole : whole + Number(`0.${fraction}`);
}

const two = (value: number) => String(value).padStart(2, "0");
const three = (value: number) => String(value).padStart(3, "0");

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

function partsOf(milliseconds: number, zone: Zone): Parts {
  const date = new Date(milliseconds);
  return zone === "utc"
    ? {
        year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(),
        hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(),
        millisecond: date.getUTCMilliseconds(),
      }
    : {
        year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate(),
        hour: date.getHours(), minute: date.getMinutes(), second: date.getSeconds(),
        millisecond: date.getMilliseconds(),
      };
}

function valid(time: TimeValue | null | undefined): number | null {
  if (time === null || time === undefined) return null;
  const milliseconds = toMilliseconds(time);
  return Number.isNaN(new Date(milliseconds).getTime()) ? null : milliseconds;
}

/** `2026-11-18`. */
export function formatDay(time: TimeValue | null | undefined, zone: Zone = "utc"): string {
  const value = valid(time);
  if (value === null) return NOTHING;
  const { year, month, day } = partsOf(value, zone);
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

/** `08:53:20`, or `08:53:20.123` with `milliseconds`. */
export function formatClockTime(time: TimeValue | null | undefined, zone: Zone = "utc", milliseconds = false): string {
  const value = valid(time);
  if (value === null) return NOTHING;
  const parts = partsOf(value, zone);
  const text = `${two(parts.hour)}:${two(parts.minute)}:${two(parts.second)}`;
  return milliseconds ? `${text}.${three(parts.millisecond)}` : text;
}

/** `2026-11-18 08:53:20`, without a zone: for columns whose header names it. */
export function formatTime(time: TimeValue | null | undefined, zone: Zone = "utc", milliseconds = false): string {
  if (valid(time) === null) return NOTHING;
  return `${formatDay(time, zone)} ${formatClockTime(time, zone, milliseconds)}`;
}

/** `2026-11-18 08:53:20.123 UTC`: nothing left out, for titles and details. */
export function formatExactTime(time: TimeValue | null | undefined, zone: Zone = "utc"): string {
  const value = valid(time);
  return value === null ? NOTHING : `${formatTime(value, zone, true)} ${zoneName(value, zone)}`;
}

/** `UTC` or the offset of the browser's zone at that time: `UTC+2`, `UTC−3:30`. */
export function zoneName(time: TimeValue, zone: Zone): string {
  if (zone === "utc") return "UTC";
  const minutes = -new Date(toMilliseconds(time)).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "\u2212" : "+"}${hours}${rest ? `:${two(rest)}` : ""}`;
}

/** The time alone for today, month and day for this year, otherwise the whole day: for narrow columns. */
export function formatShortTime(time: TimeValue | null | undefined, now: number, zone: Zone = "utc"): string {
  const value = valid(time);
  if (value === null) return NOTHING;
  if (formatDay(value, zone) === formatDay(now, zone)) return formatClockTime(value, zone);
  const parts = partsOf(value, zone);
  if (parts.year !== partsOf(now, zone).year) return formatDay(value, zone);
  return `${two(parts.month)}-${two(parts.day)} ${two(parts.hour)}:${two(parts.minute)}`;
}

const STEPS: [number, string][] = [
  [86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"],
];

/** `just now`, `5 min ago`, `in 2 h`. */
export function formatRelative(time: TimeValue | null | undefined, now: number): string {
  const value = valid(time);
  if (value === null) return NOTHING;
  const difference = now - value;
  const magnitude = Math.abs(difference);
  if (magnitude < 5000) return "just now";
  const [size, unit] = STEPS.find(([step]) => magnitude >= step) ?? [1000, "s"];
  const amount = `${Math.floor(magnitude / size)} ${unit}`;
  return difference > 0 ? `${amount} ago` : `in ${amount}`;
}

/**
 * Reads `2026-11-18`, `2026-11-18 08:53`, `2026-11-18T08:53:20.5Z` or with an offset. A text without an offset is in
 * `zone`. Returns the first and the last moment that the text can mean: a day lasts until its last millisecond.
 */
export function parseTime(text: string, zone: Zone = "utc"): { from: number; to: number } | null {
  const match =
    /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?)?$/i.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const numbers: [number, number, number, number, number, number] = [
    Number(year), Number(month), Number(day ?? 1), Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0),
  ];
  if (!inCalendar(numbers)) return null;
  const at = (change: number, index: number) => {
    const changed = [...numbers] as typeof numbers;
    changed[index] = (changed[index] ?? 0) + change;
    return moment(changed, offset, zone);
  };
  const start = at(0, 0);
  if (fraction !== undefined) {
    const exact = start + Number(`0.${fraction}`) * 1000;
    return { from: exact, to: exact };
  }
  const finest = second !== undefined ? 5 : minute !== undefined ? 4 : day !== undefined ? 2 : 1;
  return { from: start, to: at(1, finest) - 1 };
}

function inCalendar([year, month, day, hour, minute, second]: number[]): boolean {
  const days = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  return (
    month! >= 1 && month! <= 12 && day! >= 1 && day! <= days && hour! <= 23 && minute! <= 59 && second! <= 59
  );
}

function moment(numbers: [number, number, number, number, number, number], offset: string | undefined, zone: Zone): number {
  const [year, month, ...rest] = numbers;
  if (offset === undefined && zone === "local") return new Date(year, month - 1, ...rest).getTime();
  const utc = Date.UTC(year, month - 1, ...rest);
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(offset ?? "");
  if (!match) return utc;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return utc - (match[1] === "-" ? -minutes : minutes) * 60_000;
}
