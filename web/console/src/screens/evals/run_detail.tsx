// One run: its scores, and each example with output and scores.

import { useCallback, useMemo, useRef, useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import {
  type EvalResultsQuery, type EvalResultsRow, type EvaluationRun, cancelEvaluation, deleteEvaluationRuns, evaluationResults, evaluationStatus, getEvaluationRun,
} from "../../api/evaluations";
import { useLive } from "../../api/live";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading, useProject } from "../../app/screen";
import { Segments } from "../../app/segments";
import { useShortcut } from "../../app/shortcuts";
import { toast, toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { plural } from "../../format/numbers";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty, ErrorNote } from "../../ui/feedback";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { SplitPane } from "../../ui/split_pane";
import { unlessControl } from "../shared_layout/keys";
import { type Metric, metricsOf } from "../shared_evaluation/metrics";
import { readSummaries } from "../shared_evaluation/summaries";
import { parseRef } from "../shared_objects/refs";
import { refLabel, useVersionNumbers } from "../shared_objects/versions";
import { useWindows } from "../shared_values/windows";
import { ExamplePanel } from "./example_panel";
import { exampleColumns } from "./example_columns";
import { RescoreDialog } from "./rescore";
import { RunState, durationOf } from "./run_columns";
import { ScoreCards } from "./score_cards";

const PAGE = 100;

/** Restricts results to failed examples and orders them. */
export function resultQuery(id: string, metric: Metric | undefined, failed: boolean, sort: string): EvalResultsQuery {
  const query: EvalResultsQuery = { evaluation_call_ids: [id] };
  if (failed && metric) {
    query.filters = [{ query: { $expr: { $eq: [{ $getField: `scores.${metric.key}` }, { $literal: false }] } } }];
  }
  const [field, direction] = sort.split(" ");
  if (field) query.sort_by = [{ field: `scores.${field}`, direction: direction === "desc" ? "desc" : "asc" }];
  return query;
}

function RunView({ run, refetch }: { run: EvaluationRun; refetch: () => void }) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const id = run.evaluation_run_id;
  const running = run.status === "running";
  const numbers = useVersionNumbers(project);
  const [show, setShow] = useUrlState("show", codecs.oneOf("all", "failed"));
  const [sort, setSort] = useUrlState("sort", codecs.text());
  const [digest, setDigest] = useUrlState("row", codecs.text());
  const [dialog, setDialog] = useState<"rescore" | "delete" | null>(null);
  const grid = useRef<GridHandle>(null);
  const status = useQuery({
    key: ["evaluation status", project, id],
    read: async (signal) => {
      const reply = await evaluationStatus({ project_id: project, call_id: id }, signal);
      if (reply.status.code !== "running") refetch();
      return reply.status;
    },
    every: 2500,
    enabled: running,
  });
  const summary = useQuery({
    key: ["evaluation summaries", project, id],
    read: async (signal) => (await readSummaries(project, [id], signal)).get(id) ?? null,
    every: running ? 5000 : false,
  });
  const metrics = useMemo(() => metricsOf(summary.data ? [summary.data] : []), [summary.data]);
  const passed = metrics.find(({ binary }) => binary);
  const base = resultQuery(id, passed, show === "failed", sort);
  const key = JSON.stringify([id, base, status.data?.code === "running" ? status.data.completed_rows : run.status]);
  const total = useQuery({
    key: ["evaluation rows", project, key],
    read: async (signal) => (await evaluationResults(project, { ...base, include_rows: false }, signal)).total_rows,
    enabled: show === "all" || passed !== undefined,
  });
  const rows = useWindows<EvalResultsRow>({
    key,
    size: PAGE,
    read: async (offset, limit, signal) =>
      (await evaluationResults(project, { ...base, include_raw_data_rows: true, resolve_row_refs: true, include_costs: true, limit, offset }, signal)).rows,
  });
  const columns = useMemo(() => exampleColumns(metrics), [metrics]);
  const count = total.data ?? 0;
  const selected = useMemo(() => {
    for (let index = 0; index < count && digest !== ""; index++) {
      const row = rows.rowAt(index);
      if (row?.row_digest === digest) return row;
    }
    return null;
  }, [digest, count, rows.version]);
  const cancel = useMutation({
    change: () => cancelEvaluation({ project_id: project, call_id: id }),
    done: ({ cancelled }) => {
      refetch();
      toast(cancelled ? { kind: "ok", text: "The run is cancelled. Existing scores are kept." } : { kind: "info", text: "Nothing was cancelled: the run has ended, or a program records it." });
    },
  });
  const remove = useMutation({
    change: () => deleteEvaluationRuns(project, { evaluation_run_ids: [id] }),
    invalidates: [["evaluation runs", project]],
    done: () => navigate(paths.evals(project)),
  });
  const traceHref = useCallback((row: EvalResultsRow) => {
    const trial = row.evaluations[0]?.trials[0];
    return href(paths.trace(project, summary.data?.trace_id ?? id), { span: trial?.predict_and_score_call_id });
  }, [project, id, summary.data?.trace_id]);
  const open = useCallback((row: EvalResultsRow) => setDigest(row.row_digest, { replace: true }), [setDigest]);
  useShortcut({ keys: "j", label: "Next example", group: "Run" }, () => grid.current?.move(1));
  useShortcut({ keys: "k", label: "Previous example", group: "Run" }, () => grid.current?.move(-1));
  useShortcut({ keys: "Enter", label: "Show the example", group: "Run" }, unlessControl(() => grid.current?.open()));
  useShortcut({ keys: "Escape", label: "Close the example", group: "Run" }, () => setDigest("", { replace: true }), digest !== "");

  const modelName = refLabel(run.model, numbers.data);
  const evaluationName = refLabel(run.evaluation, numbers.data);
  useHeading(`${evaluationName} · ${modelName}`);
  const progress = status.data?.code === "running" && running ? { done: status.data.completed_rows, total: status.data.total_rows } : undefined;
  const modelId = parseRef(run.model)?.name;
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles">
          <h1><SafeText text={modelName} line /></h1>
          <span class="soft">
            on <a href={href(paths.evals(project), { evaluation: parseRef(run.evaluation)?.name })}><SafeText text={evaluationName} line /></a>
          </span>
          <RunState row={{ run, summary: undefined, progress }} />
          <span class="faint">{formatTime(run.started_at, timeZone.value)} · {formatDuration(durationOf({ run, summary: undefined, progress: undefined }))}</span>
        </div>
        <div class="fill-actions">
          {write && running && <Button icon="stop" busy={cancel.pending} onClick={() => void cancel.run().catch((error) => toastError("The run was not cancelled", error))}>Cancel</Button>}
          {write && !running && <Button icon="refresh" onClick={() => setDialog("rescore")}>Rescore</Button>}
          <Button icon="compare" href={href(paths.evalCompare(project), { runs: id })}>Compare with…</Button>
          <Menu
            label="More" align="end"
            items={[
              { text: "Open the trace", icon: "external", href: href(paths.trace(project, summary.data?.trace_id ?? id)) },
              ...(modelId ? [{ text: "Open the model", icon: "layers" as const, href: href(paths.objects(project, "models", modelId)) }] : []),
              ...(write ? [{ kind: "line" as const }, { text: "Delete the run", icon: "trash" as const, danger: true, onSelect: () => setDialog("delete") }] : []),
            ]}
          />
        </div>
      </div>
      {summary.error && <div class="fill-note"><ErrorNote title="The scores could not be read" message={summary.error.message} requestId={summary.error.requestId} onRetry={summary.refetch} /></div>}
      {summary.data && <ScoreCards summary={summary.data} metrics={metrics} />}
      <div class="fill-bar">
        <Segments label="Examples" value={show} options={[["all", "All"], ["failed", "Failed"]]} onChange={(next) => setShow(next)} />
        <span class="soft" role="status">{plural(count, "example")}{show === "failed" && passed ? ` where ${passed.key} is false` : ""}</span>
      </div>
      {rows.error && <div class="fill-note"><ErrorNote title="The examples could not be read" message={rows.error.message} requestId={rows.error.requestId} onRetry={rows.retry} /></div>}
      <div class="fill-body">
        {total.data === 0 ? (
          <Empty title={show === "failed" ? "No example failed" : running ? "No example is done yet" : "This run has no results"} icon={show === "failed" ? "check" : "clock"}>
            {run.status === "failed" && <p>The run ended before an example was done. Its trace has the exception.</p>}
          </Empty>
        ) : (
          <SplitPane
            name="run" label="Width of the examples" initial={58}
            first={
              <DataGrid
                label="Examples" columns={columns} count={count} rowAt={rows.rowAt} rowKey={(row) => row.row_digest} rowHref={traceHref} rowHeight={36}
                onOpen={open} onPeek={open} onRange={rows.onRange} handle={grid}
                sort={sort === "" ? null : { key: `m:${sort.split(" ")[0]}`, descending: sort.endsWith(" desc") }}
                onSort={(next) => setSort(`${next.key.slice(2)}${next.descending ? " desc" : ""}`)}
              />
            }
            second={selected ? <ExamplePanel project={project} row={selected} traceHref={traceHref(selected)} onClose={() => setDigest("", { replace: true })} /> : null}
          />
        )}
      </div>
      {dialog === "rescore" && <RescoreDialog project={project} run={run} onClose={() => setDialog(null)} />}
      <ConfirmDialog
        open={dialog === "delete"} onClose={() => setDialog(null)} onConfirm={() => void remove.run().catch(() => undefined)} title="Delete this run?" action="Delete"
        busy={remove.pending} error={remove.error?.message ?? null}
      >
        <p>Its predictions and scores are deleted too. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}

export function RunDetail({ id }: { id: string }) {
  const { id: project } = useProject();
  const run = useQuery({ key: ["evaluation runs", project, "one", id], read: (signal) => getEvaluationRun(project, id, signal), keep: false });
  useLive("evaluations", project, () => run.refetch());
  return <Loaded state={run} what="run">{(data) => <RunView run={data} refetch={run.refetch} />}</Loaded>;
}
