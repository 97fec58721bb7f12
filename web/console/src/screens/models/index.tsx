// The trained models of a project, and one of them with its checkpoints.

import { useLive } from "../../api/live";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { type ScreenProps, useProject } from "../../app/screen";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { Ago, useNow } from "../shared_parts/ago";
import { connectionLine } from "../shared_parts/connection";
import { JobStatus } from "../shared_training/job_parts";
import { ModelDetail } from "./detail";
import { useTrainedModels } from "./use_models";

function snippet(project: string): string {
  const [entity = "", name = ""] = project.split("/");
  return `${connectionLine()}\ncurl $URL/v1/preview/models -H "Authorization: Bearer $KEY" \\\n  --json '{"entity":"${entity}","project":"${name}","name":"helper","base_model":"spindle-nano"}'`;
}

function ModelList({ project, team }: { project: string; team: string }) {
  const models = useTrainedModels(project);
  useLive("jobs", project, () => models.refetch());
  const rights = useRights(team);
  const now = useNow();
  const train = rights.write && <Button icon="add" kind="primary" href={href(paths.training(project), { wizard: "1" })}>Train a model</Button>;
  return (
    <Page title="Models" lead="Models that were trained in this project. Each job adds a checkpoint; every checkpoint can be asked." actions={models.data && models.data.length > 0 && train}>
      <Loaded state={models} what="list of models">
        {(data) => data.length === 0 ? (
          <Empty title="No trained models yet" icon="layers" actions={train} snippets={[{ title: "Create one by request", text: snippet(project) }]}>
            <p>A model is a base model with a series of small adapters, one per training job.</p>
          </Empty>
        ) : (
          <div class="card">
            <Table
              label="Models" rows={data} rowKey={({ id }) => id} rowHref={({ name }) => href(paths.models(project, name))}
              columns={[
                { key: "name", title: "Name", wide: true, cell: ({ name }) => <SafeText text={name} line /> },
                { key: "base", title: "Base model", cell: ({ base_model }) => <span class="cut soft"><SafeText text={base_model} line /></span> },
                { key: "step", title: "Newest step", number: true, cell: ({ step }) => step },
                { key: "checkpoints", title: "Checkpoints", number: true, cell: ({ checkpoints }) => checkpoints },
                { key: "job", title: "Last job", cell: ({ last_job }) => last_job ? <JobStatus status={last_job.status} /> : <span class="faint">none</span> },
                { key: "by", title: "By", cell: ({ created_by }) => <span class="cut"><SafeText text={created_by} line /></span> },
                { key: "created", title: "Created", cell: ({ created_at }) => <Ago time={created_at} now={now} /> },
              ]}
            />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

export default function Models({ params }: ScreenProps) {
  const { id, team } = useProject();
  return params.name ? <ModelDetail key={params.name} project={id} team={team} name={params.name} /> : <ModelList project={id} team={team} />;
}
