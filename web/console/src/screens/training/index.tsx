// Training: jobs, trainers, and the wizard that leads from traces to a job.

import { useQuery } from "../../api/cache";
import { countCalls } from "../../api/calls";
import { useRights } from "../../app/me";
import { Page } from "../../app/page";
import { useProject } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Tabs } from "../../ui/tabs";
import { useNow } from "../shared_parts/ago";
import { connectionLine } from "../shared_parts/connection";
import { FIRST, draftCodec } from "./draft";
import { JobTable } from "../shared_training/job_table";
import { TrainerTable } from "./trainer_table";
import { Wizard } from "./wizard";

const MOST = 10_000;

function snippet(project: string): string {
  const [entity = "", name = ""] = project.split("/");
  return [
    connectionLine(),
    `DATA=$(spindle trajectories export ${project} good-answers --feedback quality --reward value --min-reward 1 --json --url $URL --key $KEY | jq -r .artifact)`,
    `MODEL=$(curl -s $URL/v1/preview/models -H "Authorization: Bearer $KEY" --json '{"entity":"${entity}","project":"${name}","name":"helper","base_model":"spindle-nano"}' | jq -r .id)`,
    `curl $URL/api/v1/training-jobs -H "Authorization: Bearer $KEY" --json '{"model_id":"'$MODEL'","data_url":"'$DATA'"}'`,
  ].join("\n");
}

/** What the project has to train on. */
function NoJobs({ project, action }: { project: string; action: preact.ComponentChildren }) {
  const traces = useQuery({ key: ["calls", project, "count for training"], read: (signal) => countCalls({ project_id: project, limit: MOST }, signal) });
  const count = traces.data?.count;
  return (
    <Empty title="Nothing was trained yet" icon="rocket" actions={action} snippets={[{ title: "The same by command", text: snippet(project) }]}>
      <p>
        Fine-tune a model on the good answers of your traces, or by rewards.
        {count === 0 && " This project has no traces yet: record some first, or start from an artifact."}
        {count !== undefined && count > 0 && ` This project has ${traces.data?.has_more ? "more than " : ""}${formatCount(count)} calls. Some dozens of good answers are enough to see an effect; a few hundred are better.`}
      </p>
    </Empty>
  );
}

export default function Training() {
  const { id: project, team } = useProject();
  const rights = useRights(team);
  const now = useNow();
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("jobs", "trainers"));
  const [draft, setDraft] = useUrlState("wizard", draftCodec);
  const start = rights.write && <Button icon="add" kind="primary" onClick={() => setDraft(FIRST)}>Train a model</Button>;
  if (draft && rights.write) {
    return <Wizard project={project} draft={draft} onDraft={(next, options) => setDraft(next, options)} onClose={() => setDraft(null)} now={now} />;
  }
  return (
    <Page title="Training" lead="Fine-tunes models on traces. Every job publishes a checkpoint that can be asked at once." actions={start}>
      <Tabs
        label="Parts of training" open={tab} onOpen={(name) => setTab(name, { replace: true })}
        tabs={[{ name: "jobs", text: "Jobs" }, { name: "trainers", text: "Trainers" }]}
      >
        <div class="tab-content">
          {tab === "jobs" ? <JobTable project={project} now={now} empty={<NoJobs project={project} action={start} />} /> : <TrainerTable now={now} />}
        </div>
      </Tabs>
    </Page>
  );
}
