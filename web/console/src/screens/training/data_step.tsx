// Step 1: what to learn from.

import { useQuery } from "../../api/cache";
import { countCalls } from "../../api/calls";
import { listCollections } from "../../api/artifacts";
import { listDatasets } from "../../api/objects";
import { allPages } from "../../api/paging";
import { timeZone } from "../../app/preferences";
import { ALL_TIME, boundsOf, parseTimeRange, printTimeRange } from "../../format/time_range";
import { formatCount } from "../../format/numbers";
import { callQuery, readFilter } from "../../query/compile";
import { Combobox } from "../../ui/combobox";
import { Field } from "../../ui/field";
import { FilterInput } from "../../ui/filter_input";
import { RadioGroup, Select, TextInput } from "../../ui/inputs";
import { TimeRangePicker } from "../../ui/time_range";
import { artifactPath, parseArtifactPath } from "../shared_training/artifact_path";
import type { Draft } from "./draft";
import type { StepProps } from "./wizard";

const COUNTED = 100_000;

function Calls({ project, draft, set, now }: StepProps & { now: number }) {
  const zone = timeZone.value;
  const range = parseTimeRange(draft.range) ?? ALL_TIME;
  const { filter } = readFilter(draft.filter, { zone, now });
  const query = callQuery(filter, boundsOf(range, now), { zone, now });
  const count = useQuery({
    key: ["calls", project, "count", draft.filter, draft.range],
    read: (signal) => countCalls({ project_id: project, limit: COUNTED, ...(query ? { query: query as never } : {}) }, signal),
  });
  return (
    <>
      <div class="ui-field">
        <span class="ui-label">Which calls</span>
        <FilterInput value={draft.filter} onApply={(text) => set({ filter: text })} options={{ zone, now }} placeholder="Filter: name:ask latency:<2s" />
        <span class="ui-hint">As in the list of traces; press Enter to apply. Failed calls, and calls that are no answers of a model, are left out.</span>
      </div>
      <div class="wizard-line">
        <TimeRangePicker value={range} onChange={(next) => set({ range: next.kind === "all" ? "" : printTimeRange(next) })} zone={zone} now={now} />
        <span role="status" class="soft">
          {count.data && `${count.data.has_more ? "more than " : ""}${formatCount(count.data.count)} calls match`}
          {count.error && count.error.message}
        </span>
      </div>
      <Field label="Each example is">
        <Select
          value={draft.unit} onChange={(unit) => set({ unit })}
          options={[{ value: "call", text: "the answer of one call" }, { value: "trace", text: "the last answer of a trace, with the conversation before it" }]}
        />
      </Field>
    </>
  );
}

function FromArtifact({ project, draft, set }: StepProps) {
  const collections = useQuery({
    key: ["collections", project],
    read: (signal) => allPages((cursor) => listCollections({ project }, { cursor, limit: 200 }, signal)),
  });
  const options = (collections.data ?? []).filter(({ type }) => type === "dataset").map(({ name }) => ({ value: artifactPath({ project, name, version: "latest" }), text: name, note: "latest version" }));
  const parsed = parseArtifactPath(draft.artifact);
  return (
    <Field
      label="Artifact" required hint={draft.kind === "rl" ? "One group of trajectories per line, as an export for rewards writes it." : "With trajectories.jsonl, train.jsonl, or one .jsonl file: one {\"messages\": […]} per line."}
      error={draft.artifact !== "" && !parsed ? "Write team/project/name:version." : null}
    >
      <Combobox value={draft.artifact} options={options} free loading={collections.loading} placeholder={`${project}/good-answers:v0`} onChange={(artifact) => set({ artifact })} />
    </Field>
  );
}

function FromDataset({ project, draft, set }: StepProps) {
  const datasets = useQuery({
    key: ["datasets", project, "latest"],
    read: (signal) => allPages((cursor) => listDatasets(project, { cursor, limit: 200, latest_only: true }, signal)),
  });
  return (
    <>
      <Field label="Dataset" required error={datasets.error?.message ?? null} hint={datasets.data?.length === 0 ? "This project has no dataset yet." : "Its newest version is stored as training data."}>
        <Combobox
          value={draft.dataset} loading={datasets.loading} placeholder="quiz" onChange={(dataset) => set({ dataset })}
          options={(datasets.data ?? []).map(({ object_id, version_index }) => ({ value: object_id, note: `v${version_index}` }))}
        />
      </Field>
      <div class="pair">
        <Field label="Member with the question" hint="Empty: rows have a member messages."><TextInput mono value={draft.question} placeholder="question" onInput={(question) => set({ question })} /></Field>
        <Field label="Member with the right answer"><TextInput mono value={draft.answer} placeholder="target" onInput={(answer) => set({ answer })} /></Field>
      </div>
    </>
  );
}

const SOURCES: { value: Draft["from"]; text: string; hint: string }[] = [
  { value: "calls", text: "Traced calls", hint: "Answers of models that were recorded here." },
  { value: "agents", text: "Agent traces", hint: "Whole conversations of agents, with tool calls and results." },
  { value: "dataset", text: "A dataset", hint: "Rows with a question and the right answer." },
  { value: "artifact", text: "An artifact", hint: "A file of examples or groups that was exported or uploaded." },
];

export function DataStep(props: StepProps & { now: number }) {
  const { draft, set } = props;
  return (
    <>
      <RadioGroup
        label="Learn" value={draft.kind}
        onChange={(kind) => set({ kind: kind as Draft["kind"], config: {}, ...(kind === "rl" && draft.from === "dataset" ? { from: "calls" as const } : {}) })}
        options={[
          { value: "sft", text: "From good answers (SFT)", hint: "The model imitates the answers that you choose." },
          { value: "rl", text: "From rewards (RL)", hint: "The model compares several answers to the same question and prefers the better ones." },
        ]}
      />
      <RadioGroup
        label="From" value={draft.from} onChange={(from) => set({ from: from as Draft["from"] })}
        options={SOURCES.map((source) => ({ ...source, disabled: draft.kind === "rl" && source.value === "dataset" }))}
      />
      {draft.from === "calls" && <Calls {...props} />}
      {draft.from === "agents" && <p class="soft">All agent traces of the project are read, oldest first. The reward of the next step chooses among them.</p>}
      {draft.from === "artifact" && <FromArtifact {...props} />}
      {draft.from === "dataset" && <FromDataset {...props} />}
    </>
  );
}
