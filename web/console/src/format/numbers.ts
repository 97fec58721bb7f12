// Numbers as people read them. Digits are grouped by thin spaces, so that no reader takes a group for a fraction.

const THIN_SPACE = "\u2009";
const MINUS = "\u2212";

/** The text of a value that does not exist. */
export const NOTHING = "–";

function grouped(digits: string): string {
  return digits.length < 4 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, THIN_SPACE);
}

/** Formats a number with at most `decimals` decimals: `1 391`, `−0.5`. */
export function formatNumber(value: number | null | undefined, decimals = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const magnitude = Math.abs(value);
  if (magnitude >= 1e15) return signed(value, magnitude.toExponential(3));
  const fixed = magnitude.toFixed(decimals);
  const [whole = "0", rest = ""] = fixed.split(".");
  const fraction = rest.replace(/0+$/, "");
  const text = grouped(whole) + (fraction ? `.${fraction}` : "");
  return signed(text === "0" ? 0 : value, text);
}

function signed(value: number, text: string): string {
  return value < 0 ? MINUS + text : text;
}

/** Formats a whole number: `10 000`. */
export function formatCount(value: number | null | undefined): string {
  return formatNumber(value, 0);
}

const SCALES: [number, string][] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/** Formats a number in few characters, for axes and badges: `1.2k`, `35M`. */
export function formatShort(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value);
  const magnitude = Math.abs(value);
  for (const [scale, letter] of SCALES) {
    // 999.95k rounds to 1 000k, which reads as 1M.
    if (magnitude >= scale * 0.9995) return signed(value, trimmed(magnitude / scale, 3) + letter);
  }
  return formatSignificant(value, 3);
}

/** Formats a number to `digits` significant digits, without an exponent where readable: `0.0388`, `1 230`. */
export function formatSignificant(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return formatNumber(value);
  const magnitude = Math.abs(value);
  if (magnitude === 0) return "0";
  if (magnitude < 1e-6) return signed(value, magnitude.toExponential(digits - 1).replace(/\.?0+e/, "e"));
  return signed(value, trimmed(magnitude, digits));
}

function trimmed(magnitude: number, digits: number): string {
  const rounded = Number(magnitude.toPrecision(digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(rounded || 1)));
  return formatNumber(rounded, Math.min(decimals, 12));
}

/** Formats a share between 0 and 1: `92 %`, `0.4 %`. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return NOTHING;
  const percent = share * 100;
  return `${formatNumber(percent, Math.abs(percent) < 10 ? 1 : 0)}\u202f%`;
}

/** Formats a change with its sign: `+0.05`, `−1`, `±0`. */
export function formatChange(value: number | null | undefined, decimals = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  const text = formatNumber(value, decimals);
  if (text === "0") return "±0";
  return value > 0 ? `+${text}` : text;
}

/** Chooses the form of a noun: `plural(1, "call")` is `1 call`, `plural(2, "call")` is `2 calls`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
