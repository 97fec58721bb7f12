// Times as people say them, with the exact time as a tooltip.

import { useEffect, useState } from "preact/hooks";

import { timeZone } from "../../app/preferences";
import { NOTHING } from "../../format/numbers";
import { formatExactTime, formatRelative } from "../../format/time";

/** Returns the time, renewed while the screen is shown. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function Ago({ time, now, none = NOTHING }: { time: string | null | undefined; now: number; none?: string }) {
  if (!time) return <span class="faint">{none}</span>;
  return <time class="nowrap" dateTime={time} title={formatExactTime(time, timeZone.value)}>{formatRelative(time, now)}</time>;
}
