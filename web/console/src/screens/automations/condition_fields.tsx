// The fields of an event's condition. Which ones are shown is what the server says about the kind of event.

import { Field } from "../../ui/field";
import { Checkbox, NumberInput, Select, TextInput } from "../../ui/inputs";
import { AGGREGATIONS, COMPARISONS } from "../shared_automation/events";
import type { AutomationDraft, Comparison, RunState } from "./draft";

export interface ConditionFieldsProps {
  draft: AutomationDraft;
  set: (change: Partial<AutomationDraft>) => void;
  /** Names of filters, and whether they are required. */
  filters: ReadonlyMap<string, boolean>;
  fieldError: (path: string) => string | null;
}

const STATES: RunState[] = ["RUNNING", "FINISHED", "FAILED"];
const TRACE_METRICS = [
  { value: "error_rate", text: "Share of errors (0 to 1)" },
  { value: "latency_ms", text: "Latency in ms" },
  { value: "cost", text: "Cost in US dollars" },
];
const COMPARISON_OPTIONS = (Object.entries(COMPARISONS) as [Comparison, string][]).map(([value, text]) => ({ value, text }));

function ComparisonFields({ draft, set }: Pick<ConditionFieldsProps, "draft" | "set">) {
  return (
    <>
      <Field label="Is"><Select value={draft.comparison} options={COMPARISON_OPTIONS} onChange={(comparison) => set({ comparison })} /></Field>
      <Field label="Threshold" required><NumberInput value={draft.threshold} onInput={(threshold) => set({ threshold })} /></Field>
    </>
  );
}

function Aggregation({ draft, set }: Pick<ConditionFieldsProps, "draft" | "set">) {
  return (
    <Field label="Of the values">
      <Select
        value={draft.aggregation} onChange={(aggregation) => set({ aggregation })}
        options={[{ value: "", text: "each" }, ...Object.entries(AGGREGATIONS).map(([value, text]) => ({ value, text }))]}
      />
    </Field>
  );
}

function MetricFields({ draft, set, fieldError }: ConditionFieldsProps) {
  const traces = draft.type === "TRACE_METRIC_THRESHOLD";
  const change = draft.type === "RUN_METRIC_CHANGE";
  const unusual = draft.type === "RUN_METRIC_ZSCORE";
  return (
    <>
      <div class="triple">
        <Field label="Metric" required error={fieldError("event.metric.name")}>
          {traces ? (
            <Select value={draft.metricName} options={[{ value: "", text: "Choose…" }, ...TRACE_METRICS]} onChange={(metricName) => set({ metricName })} />
          ) : <TextInput mono value={draft.metricName} placeholder="val.loss" onInput={(metricName) => set({ metricName })} />}
        </Field>
        {!change && !unusual && <ComparisonFields draft={draft} set={set} />}
        {(change || unusual) && (
          <Field label="Direction">
            <Select
              value={draft.direction} onChange={(direction) => set({ direction })}
              options={[{ value: "ANY", text: "any" }, { value: "INCREASE", text: "rises" }, { value: "DECREASE", text: "falls" }]}
            />
          </Field>
        )}
        {change && (
          <Field label="By" required error={fieldError("event.metric.amount")}>
            <NumberInput value={draft.amount} onInput={(amount) => set({ amount })} placeholder={draft.changeType === "RELATIVE" ? "0.25 is 25 %" : "0.1"} />
          </Field>
        )}
        {unusual && <Field label="Standard deviations"><NumberInput value={draft.threshold} placeholder="3" onInput={(threshold) => set({ threshold })} /></Field>}
      </div>
      <div class="triple">
        {change && (
          <Field label="Kind of change">
            <Select
              value={draft.changeType} onChange={(changeType) => set({ changeType })}
              options={[{ value: "RELATIVE", text: "relative" }, { value: "ABSOLUTE", text: "absolute" }]}
            />
          </Field>
        )}
        {!traces && !unusual && <Aggregation draft={draft} set={set} />}
        <Field label={traces ? "Over minutes" : "Over values"} error={fieldError("event.metric.window")}>
          <NumberInput value={draft.window} min={1} step={1} placeholder={traces ? "5" : unusual ? "30" : "1"} onInput={(window) => set({ window })} />
        </Field>
      </div>
    </>
  );
}

export function ConditionFields(props: ConditionFieldsProps) {
  const { draft, set, filters, fieldError } = props;
  return (
    <>
      {filters.has("alias_regex") && (
        <Field label="Alias" required={filters.get("alias_regex") ?? false} hint="A regular expression (RE2). ^production$ is exactly production." error={fieldError("event.alias_regex")}>
          <TextInput mono value={draft.aliasRegex} onInput={(aliasRegex) => set({ aliasRegex })} />
        </Field>
      )}
      {filters.has("tag_regex") && (
        <Field label="Tag" required={filters.get("tag_regex") ?? false} hint="A regular expression (RE2)." error={fieldError("event.tag_regex")}>
          <TextInput mono value={draft.tagRegex} onInput={(tagRegex) => set({ tagRegex })} />
        </Field>
      )}
      {filters.has("states") && (
        <div class="automation-states" role="group" aria-label="States">
          {STATES.map((state) => (
            <Checkbox
              key={state} checked={draft.states.includes(state)}
              onChange={(on) => set({ states: on ? [...draft.states, state] : draft.states.filter((other) => other !== state) })}
            >
              {state.toLowerCase()}
            </Checkbox>
          ))}
        </div>
      )}
      {filters.has("metric") && <MetricFields {...props} />}
      {filters.has("score") && (
        <div class="triple">
          <Field label="Score" hint="Empty: every evaluation." error={fieldError("event.score.name")}>
            <TextInput mono value={draft.scoreName} placeholder="right.passed" onInput={(scoreName) => set({ scoreName })} />
          </Field>
          {draft.scoreName.trim() !== "" && <ComparisonFields draft={draft} set={set} />}
        </div>
      )}
      {filters.has("run_filter") && (
        <div class="pair">
          <Field label="Runs of" hint="A user name. Empty: of everybody."><TextInput value={draft.runUser} onInput={(runUser) => set({ runUser })} /></Field>
          <Field label="Name of the run" hint="A regular expression (RE2)." error={fieldError("event.run_filter.name_regex")}>
            <TextInput mono value={draft.runRegex} placeholder="^exp-" onInput={(runRegex) => set({ runRegex })} />
          </Field>
        </div>
      )}
    </>
  );
}
