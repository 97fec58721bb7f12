// What to do in a project without runs: a dataset first, then a run on the server or from a program.

import { href, paths } from "../../app/location";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { useLatestObjects } from "../shared_objects/versions";

export function snippet(server: string, project: string): string {
  return `V2=${server}/v2/${project}
post() { curl -s -u api:$KEY "$1" -d "$2"; }
DATASET=$(post $V2/datasets '{"name": "capitals", "rows": [
  {"question": "France?", "target": "Paris"}, {"question": "Italy?", "target": "Rome"}]}' | jq -r .digest)
EVALUATION=$(post $V2/evaluations '{"name": "quiz", "dataset": "svc:///${project}/object/capitals:'$DATASET'", "scorers": []}' | jq -r .evaluation_ref)
MODEL=$(post $V2/models '{"name": "bot", "source_code": "..."}' | jq -r .model_ref)
RUN=$(post $V2/evaluation_runs '{"evaluation": "'$EVALUATION'", "model": "'$MODEL'"}' | jq -r .evaluation_run_id)
post $V2/predictions '{"evaluation_run_id": "'$RUN'", "model": "'$MODEL'", "inputs": {"question": "France?"}, "output": "Paris"}'
post $V2/evaluation_runs/$RUN/finish '{}'`;
}

export function NoRuns({ project, write, onStart }: { project: string; write: boolean; onStart: () => void }) {
  const datasets = useLatestObjects(project, ["Dataset"]);
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  const none = datasets.data?.length === 0;
  return (
    <Empty
      title="No evaluation has run yet"
      icon="flask"
      actions={write && (none
        ? <Button kind="primary" icon="add" href={href(paths.datasets(project))}>Create a dataset</Button>
        : <Button kind="primary" icon="play" onClick={onStart}>New run</Button>)}
      snippets={[{ title: "Record a run from a program", text: snippet(server, project) }]}
    >
      {none
        ? <p>An evaluation asks a model the questions of a dataset and scores the answers. Create a dataset first: import a file, or take examples from traces.</p>
        : <p>An evaluation asks a model the questions of a dataset and scores the answers. The server can run it, or a program records it.</p>}
    </Empty>
  );
}
