// Fills in the annotation fields of the project for one call.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { listObjects } from "../../api/objects";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { NumberInput, Select, TextArea } from "../../ui/inputs";
import { type AnnotationField, annotationField } from "./annotate_data";
import { useFeedbackChanges } from "../shared_calls/reactions";

type Value = string | number | boolean | null;

const SPEC_SNIPPET = `from weave.flow.annotation_spec import AnnotationSpec

weave.publish(AnnotationSpec(
    name="quality", field_schema={"type": "integer", "minimum": 1, "maximum": 5}))`;

export function AnnotateDialog({ project, callId, onClose }: { project: string; callId: string; onClose: () => void }) {
  const specs = useQuery({
    key: ["annotation fields", project],
    read: async (signal) => {
      const { objs } = await listObjects({ project_id: project, filter: { base_object_classes: ["AnnotationSpec"], latest_only: true }, limit: 100 }, signal);
      return objs.flatMap((object) => annotationField(project, object) ?? []);
    },
  });
  const [values, setValues] = useState<Record<string, Value>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const { add } = useFeedbackChanges(project, callId);
  const given = (specs.data ?? []).filter(({ id }) => values[id] !== undefined && values[id] !== null && values[id] !== "");
  const save = async () => {
    for (const { id, ref } of given) {
      await add.run({ type: `svc.annotation.${id}`, payload: { value: values[id] }, annotationRef: ref });
      // What is stored is not sent a second time when a later field fails.
      setValues((before) => ({ ...before, [id]: null }));
    }
    toast({ kind: "ok", text: "The annotation is saved." });
    onClose();
  };
  return (
    <Dialog
      open onClose={onClose} title="Annotate this step" keepOpen={given.length > 0}
      onSubmit={() => void save().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))}
      actions={<><Button onClick={onClose}>Cancel</Button><Button type="submit" kind="primary" disabled={given.length === 0} busy={add.pending}>Save</Button></>}
    >
      {specs.loading && <Skeleton lines={3} label="Loading the fields" />}
      {specs.error && <ErrorNote title="The fields could not be read" message={specs.error.message} requestId={specs.error.requestId} onRetry={specs.refetch} retrying={specs.refetching} />}
      {specs.data?.length === 0 && (
        <Empty title="No annotation fields yet" icon="tag" snippets={[{ title: "Publish a field", text: SPEC_SNIPPET }]}>
          <p>A field says what annotators fill in: a number, a choice, yes or no, a text.</p>
        </Empty>
      )}
      {specs.data?.map((spec) => (
        <Field key={spec.id} label={spec.title} {...(spec.about ? { hint: spec.about } : {})}>
          <AnnotationInput spec={spec} value={values[spec.id] ?? null} onInput={(value) => setValues({ ...values, [spec.id]: value })} />
        </Field>
      ))}
      {problem && <p class="ui-field-error" role="alert">{problem}</p>}
    </Dialog>
  );
}

function AnnotationInput({ spec: { field }, value, onInput }: { spec: AnnotationField; value: Value; onInput: (value: Value) => void }) {
  switch (field.kind) {
    case "flag":
      return (
        <Select
          value={value === null ? "" : value ? "yes" : "no"} onChange={(next) => onInput(next === "" ? null : next === "yes")}
          options={[{ value: "", text: "not answered" }, { value: "yes", text: "yes" }, { value: "no", text: "no" }]}
        />
      );
    case "number":
      return (
        <NumberInput
          value={typeof value === "number" ? value : null} onInput={onInput} step={field.integer ? 1 : 0.01}
          {...(field.min === null ? {} : { min: field.min })} {...(field.max === null ? {} : { max: field.max })}
        />
      );
    case "choice":
      return (
        <Select
          value={typeof value === "string" ? value : ""} onChange={(next) => onInput(next === "" ? null : next)}
          options={[{ value: "", text: "not answered" }, ...field.values.map((text) => ({ value: text, text }))]}
        />
      );
    case "text":
      return <TextArea value={typeof value === "string" ? value : ""} onInput={onInput} rows={2} />;
  }
}
