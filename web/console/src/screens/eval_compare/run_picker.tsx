// Choosing the runs of a comparison.

import { useState } from "preact/hooks";

import { usePages } from "../../api/cache";
import { type EvaluationRun, listEvaluationRuns } from "../../api/evaluations";
import { href, paths } from "../../app/location";
import { formatRelative } from "../../format/time";
import { Button } from "../../ui/button";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import { Checkbox } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { parseRef } from "../shared_objects/refs";
import { type VersionNumbers, refLabel } from "../shared_objects/versions";

export const MOST_RUNS = 10;

export function useRunList(project: string) {
  return usePages<EvaluationRun>({
    key: ["evaluation runs", project, ""],
    read: (cursor, signal) => listEvaluationRuns(project, { order: "newest", limit: 50, cursor }, signal),
  });
}

interface Props {
  project: string;
  numbers: VersionNumbers | undefined;
  runs: readonly string[];
  onRuns: (runs: string[]) => void;
}

export function RunPicker({ project, numbers, runs, onRuns }: Props) {
  const list = useRunList(project);
  const [picked, setPicked] = useState<readonly string[]>(runs);
  const [now] = useState(Date.now);
  const first = list.items.find(({ evaluation_run_id }) => evaluation_run_id === picked[0]);
  const evaluation = first ? parseRef(first.evaluation)?.name : undefined;
  // Runs of another evaluation share no examples.
  const shown = list.items.filter((run) => evaluation === undefined || parseRef(run.evaluation)?.name === evaluation);
  if (list.loading) return <Skeleton lines={6} label="Loading the runs" />;
  if (list.error && list.items.length === 0) return <ErrorNote title="The runs could not be read" message={list.error.message} requestId={list.error.requestId} onRetry={list.refetch} />;
  if (list.items.length === 0) {
    return <Empty title="There are no runs to compare" icon="compare" actions={<Button kind="primary" href={href(paths.evals(project), { new: "1" })}>New run</Button>}><p>Run an evaluation with two versions of a model, then compare them here.</p></Empty>;
  }
  return (
    <div class="picker">
      <div class="picker-head">
        <h2>Pick two or more runs</h2>
        <span class="soft">The first one is the base.</span>
        <span class="ui-grow" />
        <Button kind="primary" icon="compare" disabled={picked.length < 2} onClick={() => onRuns([...picked])}>Compare</Button>
      </div>
      <Table
        label="Runs"
        rows={shown}
        rowKey={({ evaluation_run_id }) => evaluation_run_id}
        columns={[
          {
            key: "pick", title: "Pick", hideTitle: true,
            cell: ({ evaluation_run_id: id, model }) => (
              <Checkbox label={`Pick ${refLabel(model, numbers)}`} checked={picked.includes(id)} disabled={!picked.includes(id) && picked.length >= MOST_RUNS}
                onChange={(on) => setPicked(on ? [...picked, id] : picked.filter((other) => other !== id))} />
            ),
          },
          { key: "model", title: "Model", wide: true, cell: ({ model }) => <SafeText text={refLabel(model, numbers)} line /> },
          { key: "evaluation", title: "Evaluation", cell: ({ evaluation: ref }) => <SafeText text={refLabel(ref, numbers)} line /> },
          { key: "status", title: "Status", cell: ({ status }) => <Status state={status ?? "running"} /> },
          { key: "started", title: "Started", cell: ({ started_at }) => <span class="nowrap">{formatRelative(started_at, now)}</span> },
        ]}
      />
      {list.hasMore && <Button kind="quiet" busy={list.loadingMore} onClick={list.more}>Show more</Button>}
    </div>
  );
}
