// Counts new calls while one reads. They enter the list by choice.

import { useEffect, useState } from "preact/hooks";

import { countCalls } from "../../api/calls";
import { live, useLive } from "../../api/live";
import { formatCount } from "../../format/numbers";
import { callQuery } from "../../query/compile";
import { timeZone } from "../../app/preferences";
import { Button } from "../../ui/button";
import type { Explorer } from "./explorer_state";

const MOST = 1000;
const LEAST_WAIT_MS = 1500;

/** Counts the calls that match and started after the list was read. */
function useNewCalls(explorer: Explorer, shown: boolean): number {
  const { project, filter, range, now, callsFilter, error } = explorer;
  const [hints, setHints] = useState(0);
  const [count, setCount] = useState(0);
  const open = range.kind !== "span" || range.to === null;
  useLive("calls", shown && open ? project : null, () => setHints((value) => value + 1));
  useEffect(() => setCount(0), [now, filter, range, callsFilter.trace_roots_only]);
  useEffect(() => {
    if (hints === 0 || error) return undefined;
    const abort = new AbortController();
    // Many hints in a row need one question.
    const timer = setTimeout(() => {
      const options = { zone: timeZone.peek(), now };
      countCalls({ project_id: project, filter: callsFilter, query: callQuery(filter, { from: now, to: null }, options) ?? null, limit: MOST }, abort.signal)
        .then((found) => setCount(found.count), () => undefined);
    }, LEAST_WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [hints, now, filter, callsFilter.trace_roots_only]);
  return count;
}

export function LiveCounter({ explorer, empty }: { explorer: Explorer; empty: boolean }) {
  const count = useNewCalls(explorer, true);
  // Nothing to read, nothing to move: the first calls show at once.
  useEffect(() => {
    if (empty && count > 0) explorer.refresh();
  }, [empty, count]);
  return (
    <span class="traces-live" role="status">
      {count > 0
        ? <Button icon="arrowUp" onClick={explorer.refresh}>{`${count >= MOST ? `${formatCount(MOST)}+` : formatCount(count)} new`}</Button>
        : <Button kind="quiet" icon="refresh" label={live.value ? "Live. Read again" : "Read again"} onClick={explorer.refresh} />}
    </span>
  );
}
