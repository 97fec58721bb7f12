// The comparison of evaluation runs: metrics with intervals, then example by example.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { hasScreen } from "../../app/routes";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { useHeading, useProject } from "../../app/screen";
import { Hidden } from "../../app/not_found";
import { useShortcut } from "../../app/shortcuts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { Button, ButtonGroup } from "../../ui/button";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { SplitPane } from "../../ui/split_pane";
import { unlessControl } from "../shared_layout/keys";
import { ToDatasetDialog } from "../shared_collect/to_dataset";
import { ToQueueDialog } from "../shared_collect/to_queue";
import { metricKey, metricsOf } from "../shared_evaluation/metrics";
import { parseRef } from "../shared_objects/refs";
import { refLabel, useVersionNumbers } from "../shared_objects/versions";
import { isRecord } from "../shared_values/value_text";
import { type ComparedRow, type Outcome, chooseRows, compareRows, trialsOf } from "./compare";
import { CompareDetail } from "./detail";
import { MetricTable } from "./metric_table";
import { rowColumns } from "./row_columns";
import { RunChips } from "./run_chips";
import { RunPicker } from "./run_picker";
import { MOST_ROWS, useComparison } from "./use_comparison";

const GROUP = "Comparison";
type Collect = { kind: "queue" | "dataset"; rows: ComparedRow[] } | null;

export default function EvalCompare() {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [runs, setRuns] = useUrlState("runs", codecs.list());
  const [baseParam, setBase] = useUrlState("base", codecs.text());
  const [otherParam, setOther] = useUrlState("with", codecs.text());
  const [metricParam, setMetric] = useUrlState("metric", codecs.text());
  const [only, setOnly] = useUrlState<Outcome | "all">("only", codecs.oneOf<Outcome | "all">("all", "worse", "better", "same", "missing"));
  const [digest, setDigest] = useUrlState("row", codecs.text());
  const [diff, setDiff] = useUrlState("diff", codecs.flag());
  const [collect, setCollect] = useState<Collect>(null);
  const grid = useRef<GridHandle>(null);
  const numbers = useVersionNumbers(project);
  const base = runs.includes(baseParam) ? baseParam : runs[0] ?? "";
  const other = runs.includes(otherParam) && otherParam !== base ? otherParam : runs.find((run) => run !== base) ?? "";
  const { comparison, rows } = useComparison(project, runs, base);
  const summaries = comparison.data?.summary?.evaluations ?? [];
  const metrics = useMemo(() => metricsOf(summaries), [comparison.data]);
  const metric = metrics.find(({ key }) => key === metricParam) ?? metrics[0];
  const names = runs.map((run) => refLabel(summaries.find(({ evaluation_call_id }) => evaluation_call_id === run)?.model_ref, numbers.data));
  const evaluation = parseRef(summaries[0]?.evaluation_ref ?? "")?.name ?? null;
  useHeading(evaluation ? `Compare ${evaluation}` : "Compare runs", [{ label: "Compare" }]);

  const all = useMemo(() => compareRows(rows.items, base, other, metric), [rows.items, base, other, metric?.key]);
  const shown = useMemo(() => chooseRows(all, only), [all, only]);
  const found = comparison.data?.comparison?.evaluations.find(({ evaluation_call_id }) => evaluation_call_id === other)?.metrics
    .find(({ scorer_key, path }) => metricKey(scorer_key, path) === metric?.key);
  const total = comparison.data?.total_rows ?? all.length;
  const counts: Record<Outcome, number> = {
    worse: found?.losses ?? 0, better: found?.wins ?? 0, same: found?.ties ?? 0, missing: total - (found?.paired_rows ?? 0),
  };
  const index = Math.max(0, shown.findIndex(({ row }) => row.row_digest === digest));
  const active = shown[index];
  const traceOf = (run: string) => summaries.find(({ evaluation_call_id }) => evaluation_call_id === run)?.trace_id ?? run;
  const traceHref = useCallback((run: string, callId: string) => href(paths.trace(project, traceOf(run)), { span: callId }), [project, comparison.data]);
  const columns = useMemo(() => rowColumns({ runs, base, metric, diff, traceHref }), [runs, base, metric?.key, diff, traceHref]);
  const rowAt = useCallback((at: number) => shown[at], [shown]);
  const callsOf = (row: ComparedRow) => [base, other].flatMap((run) => trialsOf(row.row, run)[0]?.predict_and_score_call_id ?? []);
  const openTraces = (row: ComparedRow | undefined) => {
    const calls = row ? callsOf(row) : [];
    if (calls.length === 2 && hasScreen("compare")) navigate(paths.compare(project), { query: { ids: calls.join(",") } });
    else if (calls[0]) navigate(paths.trace(project, traceOf(row && trialsOf(row.row, other).length > 0 ? other : base)), { query: { span: calls.at(-1) } });
  };
  const move = (step: number) => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, index + step))];
    if (next) setDigest(next.row.row_digest, { replace: true });
    grid.current?.move(step);
  };
  useShortcut({ keys: "j", label: "Next example", group: GROUP }, () => move(1));
  useShortcut({ keys: "k", label: "Previous example", group: GROUP }, () => move(-1));
  useShortcut({ keys: "d", label: "Show differences", group: GROUP }, () => setDiff(!diff, { replace: true }));
  useShortcut({ keys: "Enter", label: "Open both traces", group: GROUP }, unlessControl(() => openTraces(active)));
  useShortcut({ keys: "q", label: "Add to a queue", group: GROUP }, () => active && setCollect({ kind: "queue", rows: [active] }), write);
  useShortcut({ keys: "t", label: "Add to a dataset", group: GROUP }, () => active && setCollect({ kind: "dataset", rows: [active] }), write);
  // The first key goes to the examples, not to the page.
  const ready = shown.length > 0;
  useEffect(() => {
    if (ready && document.activeElement === document.body) grid.current?.focus();
  }, [ready]);

  if (comparison.error?.missing) return <Hidden what="run" />;
  if (runs.length < 2) {
    return <div class="page"><h1 class="compare-title">Compare runs</h1><RunPicker project={project} numbers={numbers.data} runs={runs} onRuns={setRuns} /></div>;
  }
  const error = comparison.error ?? rows.error;
  return (
    <div class="fill compare">
      <div class="fill-head">
        <div class="fill-titles"><h1>{evaluation ? <SafeText text={evaluation} line /> : "Compare runs"}</h1></div>
        <RunChips project={project} runs={runs} names={names} base={base} other={other} evaluation={evaluation} numbers={numbers.data} onBase={setBase} onOther={setOther} onRuns={setRuns} />
      </div>
      {error && (
        <div class="fill-note">
          <ErrorNote title="The comparison could not be read" message={error.message} requestId={error.requestId} onRetry={() => { comparison.refetch(); rows.refetch(); }} retrying={comparison.refetching} />
        </div>
      )}
      {comparison.data ? (
        <MetricTable results={comparison.data} runs={runs} base={base} other={other} metrics={metrics} chosen={metric} rows={rows.items} onChoose={({ key }) => setMetric(key)} />
      ) : !error && <Skeleton lines={4} label="Loading the comparison" />}
      {comparison.data && (
        <div class="fill-bar">
          <ButtonGroup label="Only examples that are">
            <Button small pressed={only === "all"} onClick={() => setOnly("all")}>all {formatCount(total)}</Button>
            {(["worse", "better", "same", "missing"] as const).map((outcome) => (
              <Button key={outcome} small pressed={only === outcome} onClick={() => setOnly(outcome)}>{outcome} {formatCount(counts[outcome])}</Button>
            ))}
          </ButtonGroup>
          <Button small pressed={diff} onClick={() => setDiff(!diff, { replace: true })}>Differences</Button>
          {rows.loadingMore && <span class="faint" role="status">{formatCount(rows.items.length)} of {formatCount(total)} examples read</span>}
          {total > MOST_ROWS && !rows.loadingMore && <span class="faint">The first {formatCount(MOST_ROWS)} examples are listed.</span>}
          <span class="ui-grow" />
          {write && shown.length > 0 && (
            <Menu
              small label="Actions on all shown" align="end"
              items={[
                { text: "All shown to a dataset", icon: "table", note: formatCount(shown.length), onSelect: () => setCollect({ kind: "dataset", rows: shown }) },
                { text: "All shown to a queue", icon: "list", note: formatCount(shown.length), onSelect: () => setCollect({ kind: "queue", rows: shown }) },
              ]}
            >
              Shown
            </Menu>
          )}
        </div>
      )}
      <div class="fill-body">
        {rows.loading ? <Skeleton lines={8} label="Loading the examples" /> : shown.length === 0 ? (
          <Empty title={only === "all" ? "These runs have no results" : `No example is ${only}`} icon="check" />
        ) : (
          <SplitPane
            name="eval-compare" label="Height of the examples" direction="column" initial={58}
            first={
              <DataGrid
                label="Examples" columns={columns} count={shown.length} rowAt={rowAt} rowKey={({ row }) => row.row_digest} rowHeight={52} handle={grid} active={index}
                onActive={(at) => setDigest(shown[at]?.row.row_digest ?? "", { replace: true })} onOpen={(row, at) => { if (at === index) openTraces(row); }}
              />
            }
            second={active ? <CompareDetail compared={active} runs={runs} names={names} base={base} other={other} metrics={metrics} diff={diff} traceHref={traceHref} /> : null}
          />
        )}
      </div>
      <div class="fill-foot compare-keys">
        <span><kbd>j</kbd> <kbd>k</kbd> next</span><span><kbd>d</kbd> differences</span><span><kbd>Enter</kbd> both traces</span>
        {write && <><span><kbd>q</kbd> to a queue</span><span><kbd>t</kbd> to a dataset</span></>}
      </div>
      {collect?.kind === "queue" && <ToQueueDialog project={project} callIds={collect.rows.flatMap((row) => trialsOf(row.row, other)[0]?.predict_and_score_call_id ?? callsOf(row)[0] ?? [])} onClose={() => setCollect(null)} />}
      {collect?.kind === "dataset" && <ToDatasetDialog project={project} rows={collect.rows.map(({ row }) => row.raw_data_row).filter(isRecord)} onClose={() => setCollect(null)} />}
    </div>
  );
}
