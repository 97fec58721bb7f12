// The list of runs: newest first, with scores, progress, and what can be done with the selected ones.

import { useCallback, useMemo, useRef, useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { cancelEvaluation, deleteEvaluationRuns } from "../../api/evaluations";
import type { ObjectVersion } from "../../api/objects";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { timeZone } from "../../app/preferences";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { toast, toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { Select } from "../../ui/inputs";
import { Hidden } from "../../app/not_found";
import { ColumnsMenu } from "../../ui/list/columns_menu";
import type { ColumnLayout } from "../../ui/list/columns";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import { Segments } from "../../app/segments";
import { unlessControl } from "../shared_layout/keys";
import { metricsOf } from "../shared_evaluation/metrics";
import { objectRef, parseRef } from "../shared_objects/refs";
import { useLatestObjects, useVersionNumbers } from "../shared_objects/versions";
import { Leaderboard } from "./leaderboard_view";
import { NewRunDialog } from "./new_run";
import { NoRuns } from "./no_runs";
import { RescoreDialog } from "./rescore";
import { runColumns } from "./run_columns";
import { type RunRow, useRuns } from "./use_runs";

const MOST_COMPARED = 10;

/** All versions of an evaluation: the API filters by exact references. */
function versionsOf(project: string, name: string, numbers: ReadonlyMap<string, number> | undefined): string[] | undefined {
  if (name === "") return undefined;
  const keys = [...(numbers?.keys() ?? [])].filter((key) => key.startsWith(`${name}:`));
  return keys.map((key) => objectRef(project, name, key.slice(name.length + 1)));
}

export function Runs() {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [view, setView] = useUrlState("view", codecs.oneOf("runs", "leaderboard"));
  const [evaluation, setEvaluation] = useUrlState("evaluation", codecs.text());
  const [chosen, setChosen] = useUrlState("selected", codecs.list());
  const [adding, setAdding] = useUrlState("new", codecs.text());
  const [layout, setLayout] = useState<ColumnLayout>({});
  const [dialog, setDialog] = useState<"rescore" | "delete" | null>(null);
  const [now] = useState(Date.now);
  const grid = useRef<GridHandle>(null);
  const numbers = useVersionNumbers(project);
  const filter = versionsOf(project, evaluation, numbers.data);
  const { pages, rows, summaries } = useRuns(project, filter, evaluation === "" || numbers.data !== undefined);
  const metrics = useMemo(() => metricsOf([...(summaries.data?.values() ?? [])]), [summaries.data]);
  const zone = timeZone.value;
  const columns = useMemo(() => runColumns(metrics, numbers.data, zone, now), [metrics, numbers.data, zone, now]);
  const rowAt = useCallback((index: number) => rows[index], [rows]);
  const selection = useMemo(() => new Set(chosen), [chosen]);
  const selected = rows.filter(({ run }) => selection.has(run.evaluation_run_id));
  const running = selected.filter(({ run }) => run.status === "running");

  const cancel = useMutation({
    change: (targets: RunRow[]) => Promise.all(targets.map(({ run }) => cancelEvaluation({ project_id: project, call_id: run.evaluation_run_id }))),
    invalidates: [["evaluation runs", project]],
    done: (replies) => {
      const count = replies.filter(({ cancelled }) => cancelled).length;
      toast(count === 0
        ? { kind: "info", text: "Nothing was cancelled: the run has ended, or a program records it." }
        : { kind: "ok", text: `${plural(count, "run is", "runs are")} cancelled. Existing scores are kept.` });
    },
  });
  const remove = useMutation({
    change: () => deleteEvaluationRuns(project, { evaluation_run_ids: selected.map(({ run }) => run.evaluation_run_id) }),
    invalidates: [["evaluation runs", project]],
    done: () => {
      setDialog(null);
      setChosen([]);
      toast({ kind: "ok", text: "The runs are deleted." });
    },
  });
  const compare = () => {
    if (selected.length >= 2 && selected.length <= MOST_COMPARED) {
      // The oldest run is the base unless the person chooses another.
      const ids = selected.map(({ run }) => run.evaluation_run_id).reverse();
      navigate(paths.evalCompare(project), { query: { runs: ids.join(",") } });
    }
  };
  useShortcut({ keys: "j", label: "Next run", group: "Evaluations" }, () => grid.current?.move(1), view === "runs");
  useShortcut({ keys: "k", label: "Previous run", group: "Evaluations" }, () => grid.current?.move(-1), view === "runs");
  useShortcut({ keys: "Enter", label: "Open the run", group: "Evaluations" }, unlessControl(() => grid.current?.open()), view === "runs");
  useShortcut({ keys: "x", label: "Select the run", group: "Evaluations" }, () => grid.current?.toggle(), view === "runs");
  useShortcut({ keys: "c", label: "Compare the selected runs", group: "Evaluations" }, compare);
  useShortcut({ keys: "n", label: "New run", group: "Evaluations" }, () => setAdding("1"), write);

  const defined = useLatestObjects(project, ["Evaluation"]);
  const evaluations = useMemo(() => evaluationOptions(defined.data ?? [], rows, evaluation), [defined.data, rows, evaluation]);
  if (pages.error?.missing) return <div class="page"><Hidden what="project" /></div>;
  const empty = !pages.loading && rows.length === 0 && evaluation === "" && !pages.error;
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles"><h1>Evaluations</h1></div>
        <div class="fill-actions">
          {write && <Button kind="primary" icon="play" onClick={() => setAdding("1")}>New run</Button>}
        </div>
      </div>
      {!empty && (
        <div class="fill-bar">
          <Segments label="View" value={view} options={[["runs", "Runs"], ["leaderboard", "Leaderboard"]]} onChange={(next) => setView(next)} />
          <span class="fill-bar-select">
            <Select label="Evaluation" value={evaluation} options={evaluations} onChange={(name) => { setEvaluation(name); }} />
          </span>
          <span class="ui-grow" />
          {view === "runs" && <ColumnsMenu columns={columns} layout={layout} onLayout={setLayout} />}
        </div>
      )}
      {pages.error && (
        <div class="fill-note">
          <ErrorNote title="The runs could not be read" message={pages.error.message} requestId={pages.error.requestId} onRetry={pages.refetch} retrying={pages.refetching} />
        </div>
      )}
      {summaries.error && (
        <div class="fill-note">
          <ErrorNote title="The scores could not be read" message={summaries.error.message} requestId={summaries.error.requestId} onRetry={summaries.refetch} retrying={summaries.refetching} />
        </div>
      )}
      <div class="fill-body">
        {empty ? <NoRuns project={project} write={write} onStart={() => setAdding("1")} />
          : pages.loading ? <Skeleton lines={8} label="Loading the runs" />
          : view === "leaderboard" ? <Leaderboard project={project} rows={rows} metrics={metrics} numbers={numbers.data} evaluation={evaluation} now={now} />
          : (
            <DataGrid
              label="Runs" columns={columns} count={rows.length} rowAt={rowAt} rowKey={({ run }) => run.evaluation_run_id}
              rowHref={({ run }) => href(paths.evals(project, run.evaluation_run_id))} rowHeight={36} layout={layout} onLayout={setLayout}
              selection={selection} onSelect={(next) => setChosen([...next], { replace: true })} handle={grid}
              onRange={(_, last) => { if (last >= rows.length - 5) pages.more(); }}
            />
          )}
      </div>
      {!empty && view === "runs" && (
        <div class="fill-foot" role="status">
          <span>{selected.length === 0 ? plural(rows.length, "run") + (pages.hasMore ? " loaded" : "") : `${formatCount(selected.length)} selected`}</span>
          {selected.length === 0 && rows.length > 1 && <span class="faint">Select two runs with <kbd>x</kbd> to compare them.</span>}
          <span class="ui-grow" />
          {selected.length > 0 && (
            <>
              <Button kind="quiet" onClick={() => setChosen([], { replace: true })}>Clear</Button>
              {write && running.length > 0 && <Button icon="stop" busy={cancel.pending} onClick={() => void cancel.run(running).catch((error) => toastError("The run was not cancelled", error))}>Cancel</Button>}
              {write && selected.length === 1 && running.length === 0 && <Button icon="refresh" onClick={() => setDialog("rescore")}>Rescore</Button>}
              {write && <Button icon="trash" onClick={() => setDialog("delete")}>Delete</Button>}
              <Button kind="primary" icon="compare" disabled={selected.length < 2 || selected.length > MOST_COMPARED} onClick={compare}>Compare</Button>
            </>
          )}
        </div>
      )}
      {adding !== "" && <NewRunDialog project={project} evaluation={evaluation} dataset={adding === "1" ? "" : adding} onClose={() => setAdding("")} />}
      {dialog === "rescore" && selected[0] && <RescoreDialog project={project} run={selected[0].run} onClose={() => setDialog(null)} />}
      <ConfirmDialog
        open={dialog === "delete"} onClose={() => setDialog(null)} onConfirm={() => void remove.run().catch(() => undefined)} action="Delete" count={selected.length}
        title={`Delete ${plural(selected.length, "run")}?`} busy={remove.pending} error={remove.error?.message ?? null}
      >
        <p>Their predictions and scores are deleted too. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}

/** The evaluations that exist or were run. */
function evaluationOptions(defined: readonly ObjectVersion[], rows: readonly RunRow[], chosen: string) {
  const names = new Set([...defined.map(({ object_id }) => object_id), ...rows.map(({ run }) => parseRef(run.evaluation)?.name ?? "")]);
  if (chosen) names.add(chosen);
  names.delete("");
  return [{ value: "", text: "All evaluations" }, ...[...names].sort().map((name) => ({ value: name, text: name }))];
}
