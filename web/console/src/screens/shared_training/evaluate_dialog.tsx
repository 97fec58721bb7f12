// Evaluates a checkpoint: makes a model object that asks it, and starts a run on the server.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { evaluateModel, listEvaluations } from "../../api/evaluations";
import { createObject } from "../../api/objects";
import { allPages } from "../../api/paging";
import { hasScreen } from "../../app/routes";
import { href, navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Field } from "../../ui/field";
import { NumberInput, Select, TextArea } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";

export interface EvaluateDialogProps {
  project: string;
  /** Name of the trained model. */
  name: string;
  step: number;
  /** The `model` of requests. */
  model: string;
  onClose: () => void;
}

/** Returns the value of a model object that asks the checkpoint. */
export function modelObject(name: string, model: string, prompt: string, temperature: number | null): Record<string, unknown> {
  return {
    _type: "Model", _class_name: "Model", _bases: ["Object", "BaseModel"], name, kind: "chat_completion", model, prompt,
    parameters: temperature === null ? {} : { temperature },
  };
}

export function EvaluateDialog({ project, name, step, model, onClose }: EvaluateDialogProps) {
  const evaluations = useQuery({
    key: ["evaluations", project, "latest"],
    read: async (signal) => {
      const all = await allPages((cursor) => listEvaluations(project, { cursor, limit: 200, order: "newest" }, signal));
      return [...new Map(all.map((entry) => [entry.object_id, entry])).values()];
    },
  });
  const [chosen, setChosen] = useState("");
  const [prompt, setPrompt] = useState("{question}");
  const [temperature, setTemperature] = useState<number | null>(0);
  const evaluation = chosen || evaluations.data?.[0]?.object_id || "";
  const start = useMutation({
    change: async () => {
      const object_id = `${name}-step${step}`;
      const { digest } = await createObject({ obj: { project_id: project, object_id, val: modelObject(object_id, model, prompt, temperature) } });
      const ref = (id: string, version: string) => `svc:///${project}/object/${id}:${version}`;
      return evaluateModel({ project_id: project, evaluation_ref: ref(evaluation, "latest"), model_ref: ref(object_id, digest) });
    },
    invalidates: [["evaluation runs", project], ["checkpoint scores", project]],
    done: ({ call_id }) => {
      const open = () => navigate(paths.evals(project, call_id));
      toast({ kind: "ok", text: `The evaluation of step ${step} has started.`, ...(hasScreen("evals") ? { action: { label: "Open", run: open } } : {}) });
      onClose();
    },
  });
  const none = evaluations.data?.length === 0;
  return (
    <FormDialog
      title={`Evaluate step ${step} of ${name}`} action="Start the evaluation" size="medium" onClose={onClose} state={start} typed={false}
      valid={evaluation !== "" && prompt.trim() !== ""} onSubmit={() => void start.run().catch(() => undefined)}
    >
      {none ? (
        <p>This project has no evaluation yet. <a href={href(paths.evals(project))}>Make one first</a>: a dataset and scorers.</p>
      ) : (
        <>
          <Field label="Evaluation" required error={evaluations.error?.message ?? null}>
            <Select value={evaluation} onChange={setChosen} options={(evaluations.data ?? []).map(({ object_id }) => ({ value: object_id, text: object_id }))} />
          </Field>
          <Field label="Prompt" required hint="Sent for each row; {name} is replaced by a member of the row.">
            <TextArea value={prompt} mono rows={3} onInput={setPrompt} />
          </Field>
          <Field label="Temperature"><NumberInput value={temperature} min={0} max={2} onInput={setTemperature} /></Field>
        </>
      )}
    </FormDialog>
  );
}
