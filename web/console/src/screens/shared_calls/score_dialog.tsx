// Runs scorers of the project on calls. Scores become feedback.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { listScorers } from "../../api/objects";
import { Checkbox } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { JobDialog, type JobDialogProps } from "./job_dialog";

export function ScoreDialog(props: JobDialogProps) {
  const scorers = useQuery({
    key: ["scorers", props.project, "names"],
    read: (signal) => listScorers(props.project, { latest_only: true, order: "newest", limit: 200 }, signal),
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const refs = (scorers.data?.items ?? []).filter(({ object_id }) => chosen.includes(object_id))
    .map(({ object_id, digest }) => `svc:///${props.project}/object/${object_id}:${digest}`);
  return (
    <JobDialog
      {...props} action="score" title={(calls) => `Score ${calls}`} button="Score" ready={refs.length > 0} typed={false}
      parameters={() => ({ scorer_refs: refs })}
    >
      <p class="soft">The inputs of a call are the example. Each score becomes feedback on the call. Calls that still run are skipped.</p>
      {scorers.data?.items.length === 0 && <p>This project has no scorers yet. Publish one with the SDK, then it appears here.</p>}
      <div class="score-list">
        {(scorers.data?.items ?? []).map(({ object_id, description }) => (
          <Checkbox
            key={object_id} checked={chosen.includes(object_id)} {...(description ? { hint: description } : {})}
            onChange={(on) => setChosen(on ? [...chosen, object_id] : chosen.filter((id) => id !== object_id))}
          >
            <SafeText text={object_id} line />
          </Checkbox>
        ))}
      </div>
      {scorers.error && <p class="ui-field-error" role="alert">The scorers could not be read: {scorers.error.message}</p>}
    </JobDialog>
  );
}
