// Sizes in bytes, in decimal units as storage vendors and browsers print them.

import { NOTHING, formatSignificant } from "./numbers.ts";

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Formats a size to 3 significant digits: `812 B`, `4.5 MB`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return NOTHING;
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${bytes < 0 ? "\u2212" : ""}${formatSignificant(value, 3)} ${UNITS[unit]}`;
}

/** Returns the size of the text in UTF-8, without encoding it. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 4;
      i += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
