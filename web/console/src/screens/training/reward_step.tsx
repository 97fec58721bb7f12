// Step 2: which answers are good, and how good.

import { useQuery } from "../../api/cache";
import { feedbackPaths, listFeedback } from "../../api/feedback";
import { formatCount } from "../../format/numbers";
import { Combobox } from "../../ui/combobox";
import { Field } from "../../ui/field";
import { NumberInput, RadioGroup, Select } from "../../ui/inputs";
import type { Draft } from "./draft";
import { countTypes, inspectedTime } from "./feedback_types";
import type { StepProps } from "./wizard";

const SAMPLE = 1000;

function FeedbackFields({ project, draft, set }: StepProps) {
  const types = useQuery({
    key: ["feedback", project, "types"],
    read: async (signal) => countTypes((await listFeedback({ project_id: project, fields: ["feedback_type", "created_at"], sort_by: [{ field: "created_at", direction: "desc" }], limit: SAMPLE }, signal)).result),
  });
  const chosen = types.data?.find(({ name }) => name === draft.feedbackType);
  const found = useQuery({
    key: ["feedback", project, "paths", draft.feedbackType],
    read: async (signal) => (await feedbackPaths({ project_id: project, feedback_type: draft.feedbackType, ...inspectedTime(chosen!) }, signal)).paths,
    enabled: chosen !== undefined,
    keep: false,
  });
  const numbers = (found.data ?? []).filter(({ value_type }) => value_type !== "categorical");
  return (
    <div class="pair">
      <Field label="Feedback" required error={types.error?.message ?? null} hint={types.data?.length === 0 ? "This project has no feedback yet: react to traces, or run a scorer." : undefined}>
        <Combobox
          value={draft.feedbackType} free loading={types.loading} placeholder="quality" onChange={(feedbackType) => set({ feedbackType, path: "" })}
          options={(types.data ?? []).map(({ name, count }) => ({ value: name, note: `${formatCount(count)} of the newest` }))}
        />
      </Field>
      <Field label="Path of the number" required error={found.error?.message ?? null} hint={found.data && numbers.length === 0 ? "No numbers or booleans were found in this feedback." : "A number or boolean of its payload, such as value or output.score."}>
        <Combobox
          value={draft.path} free loading={found.loading} placeholder="value" onChange={(path) => set({ path })}
          options={numbers.map(({ json_path, value_type }) => ({ value: json_path, note: value_type }))}
        />
      </Field>
    </div>
  );
}

export function RewardStep(props: StepProps) {
  const { draft, set } = props;
  const agents = draft.from === "agents";
  return (
    <>
      <RadioGroup
        label="Reward" value={draft.reward} onChange={(reward) => set({ reward: reward as Draft["reward"], path: "", min: reward === "none" ? null : draft.min })}
        options={[
          { value: "none", text: "None", hint: "Every answer that matches is an example.", disabled: draft.kind === "rl" },
          { value: "feedback", text: "From feedback", hint: "Reactions, annotations, scores of scorers. The newest of each answer counts." },
          { value: "call", text: agents ? "From attributes of spans" : "From the call itself", hint: agents ? "Such as attributes.score" : "Such as output.score or summary.score" },
        ]}
      />
      {draft.reward === "feedback" && <FeedbackFields {...props} />}
      {draft.reward === "call" && (
        <Field label="Path of the number" required hint="A number or a boolean.">
          <Combobox value={draft.path} free options={[]} placeholder={agents ? "attributes.score" : "output.score"} onChange={(path) => set({ path })} />
        </Field>
      )}
      <div class="pair">
        {draft.reward !== "none" && (
          <Field label="Smallest reward" hint={draft.kind === "rl" ? "Usually empty: bad answers teach as well." : "Answers below it are left out. The preview shows the distribution."}>
            <NumberInput value={draft.min} onInput={(min) => set({ min })} placeholder="none" />
          </Field>
        )}
        {draft.reward !== "none" && draft.kind === "rl" && (
          <Field label="Compare answers" hint="A group needs answers with different rewards.">
            <Select
              value={draft.group} onChange={(group) => set({ group })}
              options={[{ value: "input", text: "to the same question" }, { value: "trace", text: "of the same trace" }, { value: "thread", text: agents ? "of the same conversation" : "of the same thread" }]}
            />
          </Field>
        )}
        <Field label="Read at most" hint="Oldest first."><NumberInput value={draft.limit} min={1} max={1_000_000} step={1} unit={agents ? "traces" : "calls"} onInput={(limit) => set({ limit })} /></Field>
      </div>
    </>
  );
}
