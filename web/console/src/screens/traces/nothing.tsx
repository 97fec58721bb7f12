// An empty list: the condition that removes most, or how to send a first trace.

import { useQuery } from "../../api/cache";
import { countCalls, listCalls } from "../../api/calls";
import { timeZone } from "../../app/preferences";
import { plural } from "../../format/numbers";
import { ALL_TIME, formatTimeRange } from "../../format/time_range";
import { callQuery } from "../../query/compile";
import { withoutEachCondition } from "../../query/edit";
import { printFilter } from "../../query/print";
import { Button } from "../../ui/button";
import { Empty, Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { snippets } from "../home/snippets";
import type { Explorer } from "./explorer_state";
import { MOST_COUNTED } from "./list_data";

interface WayOut {
  text: string;
  count: number;
  more: boolean;
  go: () => void;
}

const MOST_CONDITIONS = 8;

export function Nothing({ explorer }: { explorer: Explorer }) {
  const { project, text, range, bounds, now, scope, callsFilter, filter } = explorer;
  const ways = useQuery({
    key: ["ways out", project, text, range, scope, now],
    staleTime: Infinity,
    keep: false,
    read: async (signal): Promise<{ any: boolean; ways: WayOut[] }> => {
      const { items } = await listCalls({ project_id: project, limit: 1, columns: ["id"] }, signal);
      if (items.length === 0) return { any: false, ways: [] };
      const options = { zone: timeZone.value, now };
      const count = (query: ReturnType<typeof callQuery>, calls = callsFilter) =>
        countCalls({ project_id: project, filter: calls, query: query ?? null, limit: MOST_COUNTED }, signal);
      const tries: { text: string; read: ReturnType<typeof count>; go: () => void }[] = withoutEachCondition(text)
        .slice(0, MOST_CONDITIONS)
        .map(({ removed, rest }) => ({
          text: `Without ${removed}`, read: count(callQuery(rest, bounds, options)), go: () => explorer.setText(printFilter(rest)),
        }));
      if (range.kind !== "all") {
        const open = { from: null, to: null };
        tries.push({ text: `Over all time instead of ${formatTimeRange(range, timeZone.value)}`, read: count(callQuery(filter, open, options)), go: () => explorer.setRange(ALL_TIME) });
      }
      if (scope === "roots") {
        tries.push({ text: "Among all calls, not only whole traces", read: count(callQuery(filter, bounds, options), {}), go: () => explorer.setScope("all") });
      }
      const results = await Promise.all(tries.map(async (one) => {
        const found = await one.read;
        return { text: one.text, go: one.go, count: found.count, more: found.has_more };
      }));
      return { any: true, ways: results.filter((way) => way.count > 0).sort((a, b) => b.count - a.count) };
    },
  });
  if (!ways.data) return ways.error ? null : <Skeleton lines={3} label="Looking for what removes most" />;
  if (!ways.data.any) return <FirstSteps project={project} onRetry={explorer.refresh} />;
  const [best] = ways.data.ways;
  return (
    <Empty
      title="No trace matches" icon="filter"
      actions={<>{text !== "" && <Button onClick={() => explorer.setText("")}>Clear the filter</Button>}</>}
    >
      {best ? <p>What removes most stands first:</p> : <p>Nothing matches, even with one condition less.</p>}
      <ul class="ways-out">
        {ways.data.ways.map((way) => (
          <li key={way.text}>
            <button type="button" class="way-out" onClick={way.go}>
              <SafeText text={way.text} line /><span class="faint">{way.more ? `${plural(way.count, "match", "matches")} or more` : plural(way.count, "match", "matches")}</span>
            </button>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

function FirstSteps({ project, onRetry }: { project: string; onRetry: () => void }) {
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  const all = snippets({ server, project, key: "YOUR_API_KEY" });
  const parts = all.filter(({ name }) => name === "python" || name === "curl").flatMap(({ text, parts: list }) => list.map((part) => ({ ...part, title: `${text}: ${part.title}` })));
  return (
    <Empty title="No traces yet" icon="layers" snippets={parts} actions={<Button icon="refresh" onClick={onRetry}>Look again</Button>}>
      <p>A trace is one run of your application. Run one of these, and it appears here by itself.</p>
    </Empty>
  );
}
