// Durations, from microseconds to days.

import { lookup } from "./lookup.ts";
import { NOTHING, formatNumber, formatSignificant } from "./numbers.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats milliseconds: `250 µs`, `12.5 ms`, `6.77 s`, `2 min 5 s`, `3 h 10 min`, `4 d 2 h`. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return NOTHING;
  if (milliseconds < 0) return `\u2212${formatDuration(-milliseconds)}`;
  if (milliseconds === 0) return "0 ms";
  if (milliseconds < 0.9995) return `${formatSignificant(milliseconds * 1000, 3)} µs`;
  if (milliseconds < 999.5) return `${formatSignificant(milliseconds, 3)} ms`;
  if (milliseconds < 59.95 * SECOND) return `${formatSignificant(milliseconds / SECOND, 3)} s`;
  if (milliseconds < HOUR - 500) return pair(milliseconds, MINUTE, "min", SECOND, "s");
  if (milliseconds < DAY - MINUTE / 2) return pair(milliseconds, HOUR, "h", MINUTE, "min");
  return pair(milliseconds, DAY, "d", HOUR, "h");
}

function pair(value: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const units = Math.round(value / small);
  const ratio = large / small;
  const whole = Math.floor(units / ratio);
  const rest = units % ratio;
  const head = `${formatNumber(whole, 0)} ${largeUnit}`;
  return rest === 0 ? head : `${head} ${rest} ${smallUnit}`;
}

/** Formats the remaining or elapsed time of a job as a clock: `1:10`, `2:03:04`. */
export function formatClock(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return NOTHING;
  const seconds = Math.max(0, Math.round(milliseconds / SECOND));
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

const UNIT_MILLISECONDS = lookup<number>({
  us: 0.001, "µs": 0.001, ms: 1, s: SECOND, sec: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY, w: 7 * DAY,
});

/** Reads `250us`, `1.5s`, `1m30s` or `2 h` as milliseconds. Returns null for a text without units. */
export function parseDuration(text: string): number | null {
  const compact = text.trim().replace(/(\d)\s+(?=[a-zµ])/gi, "$1").replace(/\s+(?=\d)/g, "").toLowerCase();
  if (!/^(\d+(\.\d+)?[a-zµ]+)+$/.test(compact)) return null;
  let total = 0;
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/g)) {
    const scale = UNIT_MILLISECONDS[unit ?? ""];
    if (scale === undefined) return null;
    total += Number(amount) * scale;
  }
  // 0.1 s + 0.2 s are 300 ms, not 300.00000000000006.
  return Math.round(total * 1e6) / 1e6;
}
