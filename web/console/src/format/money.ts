// Costs in US dollars. Model calls cost fractions of a cent, so costs have significant digits instead of fixed decimals.

import { NOTHING, formatNumber } from "./numbers.ts";

/** Formats a cost to 4 significant digits, at least to the cent: `$0.0388`, `$12.50`, `$1 234.57`. */
export function formatCost(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined || !Number.isFinite(dollars)) return NOTHING;
  if (dollars === 0) return "$0";
  const sign = dollars < 0 ? "\u2212" : "";
  const magnitude = Math.abs(dollars);
  if (magnitude < 1e-6) return `${sign}<$0.000001`;
  if (magnitude >= 0.995) return `${sign}$${withCents(magnitude)}`;
  const decimals = Math.min(9, 3 - Math.floor(Math.log10(magnitude)));
  const text = formatNumber(magnitude, decimals);
  // `$0.5` reads as half a number; `$0.50` is a price.
  return `${sign}$${/^\d+\.\d$/.test(text) ? `${text}0` : text}`;
}

function withCents(magnitude: number): string {
  const [whole = "0", cents = "00"] = magnitude.toFixed(2).split(".");
  return `${formatNumber(Number(whole), 0)}.${cents}`;
}
