// The runs of a project: filter, choose some to compare.

import { usePages } from "../../api/cache";
import { useLive } from "../../api/live";
import { type Run, listRuns } from "../../api/runs";
import { href, paths } from "../../app/location";
import { Page } from "../../app/page";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatCount, formatSignificant } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Checkbox, Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status } from "../../ui/status";
import type { TableColumn } from "../../ui/table";
import { Ago, useNow } from "../shared_parts/ago";
import { connectionLine } from "../shared_parts/connection";
import { PagedTable } from "../shared_parts/paged_table";
import { MOST_COMPARED } from "./compare";
import { PINNED, byInterest, metricKeys, pinnedFirst } from "./metrics";

const STATES: Run["state"][] = ["running", "pending", "finished", "failed", "crashed", "killed", "preempted"];
const METRICS = 3;

function snippet(project: string): string {
  return [
    connectionLine(),
    `export R=$URL/api/v1/projects/${project}/runs H="Authorization: Bearer $KEY"`,
    `curl -s "$R" -H "$H" --json '{"run_id":"first","config":{"lr":0.001},"tags":["baseline"]}'`,
    `curl -s "$R/first/history" -H "$H" --json '{"rows":[{"metrics":{"loss":0.9}},{"metrics":{"loss":0.4}}]}'`,
    `curl -s "$R/first/finish" -H "$H" --json '{"exit_code":0}'`,
  ].join("\n");
}

export function RunList({ project }: { project: string }) {
  const now = useNow();
  const [state, setState] = useUrlState("state", codecs.oneOf<Run["state"] | "">("", ...STATES));
  const [tag, setTag] = useUrlState("tag", codecs.text());
  const [group, setGroup] = useUrlState("group", codecs.text());
  const [selected, setSelected] = useUrlState("selected", codecs.list());
  const runs = usePages({
    key: ["runs", project, state, tag, group],
    read: (cursor, signal) => listRuns(project, { cursor, limit: 50, ...(state ? { state } : {}), ...(tag ? { tag } : {}), ...(group ? { group } : {}) }, signal),
  });
  useLive("runs", project, () => runs.refetch());
  const filtered = state !== "" || tag !== "" || group !== "";
  const nothing = !filtered && !runs.loading && !runs.error && runs.items.length === 0;
  const rows = pinnedFirst(runs.items);
  const toggle = (id: string, on: boolean) => setSelected(on ? [...selected, id].slice(-MOST_COMPARED) : selected.filter((other) => other !== id), { replace: true });
  const columns: TableColumn<Run>[] = [
    { key: "select", title: "Compare", hideTitle: true, control: true, cell: ({ run_id, name }) => <Checkbox checked={selected.includes(run_id)} label={`Select ${name}`} onChange={(on) => toggle(run_id, on)} /> },
    {
      key: "name", title: "Name", wide: true,
      cell: ({ name, tags }) => <span class="run-name" title={name}>{tags.includes(PINNED) && <span title="Pinned">★ </span>}<SafeText text={name} line /></span>,
    },
    { key: "state", title: "State", cell: (run) => <Status state={run.state} {...(run.stop_requested && run.state === "running" ? { word: "stopping" } : {})} /> },
    ...(new Set(runs.items.map(({ job_type }) => job_type)).size > 1
      ? [{ key: "type", title: "Type", cell: ({ job_type }: Run) => job_type && <Badge><SafeText text={job_type} line /></Badge> }]
      : []),
    { key: "tags", title: "Tags", cell: ({ tags }) => <span class="chips run-tags">{tags.filter((name) => name !== PINNED).slice(0, 3).map((name) => <Badge key={name}><SafeText text={name} line /></Badge>)}</span> },
    ...byInterest(metricKeys(runs.items), runs.items).slice(0, METRICS).map((key): TableColumn<Run> => ({ key: `metric ${key}`, title: key, number: true, cell: ({ summary }) => formatSignificant(typeof summary[key] === "number" ? (summary[key] as number) : null, 4) })),
    { key: "step", title: "Step", number: true, cell: ({ last_step }) => formatCount(last_step) },
    { key: "time", title: "Time", number: true, cell: ({ created_at, finished_at, heartbeat_at }) => formatDuration(Date.parse(finished_at ?? heartbeat_at) - Date.parse(created_at)) },
    { key: "user", title: "By", cell: ({ user }) => <span class="cut"><SafeText text={user} line /></span> },
    { key: "created", title: "Created", cell: ({ created_at }) => <Ago time={created_at} now={now} /> },
  ];
  return (
    <Page
      title="Runs" width="full" lead="Executions of programs that log metrics: trainings, evaluations, trials of a sweep."
      actions={selected.length > 0 && (
        <>
          <Button kind="quiet" onClick={() => setSelected([])}>Clear</Button>
          {selected.length > 1
            ? <Button kind="primary" icon="compare" href={href(paths.runs(project), { compare: codecs.list().write(selected) ?? "" })}>Compare {selected.length}</Button>
            : <Button icon="compare" disabled>Choose another to compare</Button>}
        </>
      )}
    >
      {!nothing && (
        <div class="filters">
          <Select label="State" value={state} onChange={(value) => setState(value)} options={[{ value: "", text: "All states" }, ...STATES.map((value) => ({ value, text: value }))]} />
          <TextInput label="Tag" placeholder="Tag" icon="tag" value={tag} onInput={(value) => setTag(value, { replace: true })} />
          <TextInput label="Group" placeholder="Group" icon="folder" value={group} onInput={(value) => setGroup(value, { replace: true })} />
        </div>
      )}
      <PagedTable
        state={runs} rows={rows} what="runs" label="Runs" rowKey={({ run_id }) => run_id} rowHref={({ run_id }) => href(paths.runs(project, run_id))} columns={columns}
        empty={filtered ? <p class="soft more-none">No run matches.</p> : (
          <Empty title="No runs yet" icon="chart" snippets={[{ title: "Log a run", text: snippet(project) }]}><p>Log metrics by step from any program, then watch and compare them here. Trained models have a run of their own.</p></Empty>
        )}
      />
    </Page>
  );
}
