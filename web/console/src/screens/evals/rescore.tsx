// Scores the stored predictions of a run again, with other scorers.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type EvaluationRun, rescoreEvaluation } from "../../api/evaluations";
import { href, navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { ScorerChecks, useBuiltInScorers } from "./scorer_fields";

export function RescoreDialog({ project, run, onClose }: { project: string; run: EvaluationRun; onClose: () => void }) {
  const [refs, setRefs] = useState<string[]>([]);
  const scorers = useBuiltInScorers(project);
  const rescore = useMutation({
    change: () => rescoreEvaluation({ project_id: project, source_evaluation_run_id: run.evaluation_run_id, scorer_refs: refs }),
    invalidates: [["evaluation runs", project]],
    done: ({ evaluation_run_id }) => {
      toast({ kind: "ok", text: "A new run scores the predictions again." });
      onClose();
      navigate(paths.evals(project, evaluation_run_id));
    },
  });
  return (
    <Dialog
      open onClose={onClose} title="Rescore the predictions" size="small"
      onSubmit={() => {
        if (refs.length > 0) void rescore.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={refs.length === 0} busy={rescore.pending}>Rescore</Button>
        </>
      }
    >
      <p class="soft">A new run takes the stored answers and scores them. The model is not asked again.</p>
      <ScorerChecks project={project} value={refs} onChange={setRefs} />
      {scorers.data?.length === 0 && (
        <p>The project has no built-in scorers. <a href={href(paths.objects(project, "scorers"))}>Create one</a> first.</p>
      )}
      {rescore.error && <ErrorNote title="The run was not rescored" message={rescore.error.message} requestId={rescore.error.requestId} />}
    </Dialog>
  );
}
