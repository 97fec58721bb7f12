// Last step: the model, the settings, and the start.

import { useRef, useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { listModels } from "../../api/inference";
import { allPages } from "../../api/paging";
import { type TrajectoryExport, createTrainedModel, exportTrajectories, listTrainedModels, startTrainingJob } from "../../api/training";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { artifactPath, parseArtifactPath } from "../shared_training/artifact_path";
import { setMembers } from "../shared_training/config";
import { ConfigFields } from "../shared_training/config_fields";
import { storeDataset } from "../shared_training/dataset_examples";
import { problemOf } from "./draft";
import type { StepProps } from "./wizard";

export interface StartStepProps extends StepProps {
  body: TrajectoryExport | null;
  /** Leads to the step before. */
  back: preact.ComponentChildren;
}

export function StartStep({ project, draft, set, body, back }: StartStepProps) {
  const models = useQuery({
    key: ["trained models", project],
    read: (signal) => allPages((cursor) => listTrainedModels({ project, cursor, limit: 200 }, signal)),
  });
  const bases = useQuery({
    key: ["catalogue", "trainable"],
    read: async (signal) => (await allPages((cursor) => listModels({ cursor, limit: 200 }, signal))).filter(({ trainable }) => trainable),
  });
  const [phase, setPhase] = useState("");
  // What was made before a later part failed is used again, unless its settings have changed.
  const made = useRef<{ data?: { key: string; url: string }; model?: { key: string; id: string } }>({});
  const base = draft.base || bases.data?.[0]?.name || "";
  const start = useMutation({
    change: async () => {
      const key = JSON.stringify([body, draft.artifact, draft.dataset, draft.question, draft.answer]);
      if (made.current.data?.key !== key) {
        setPhase(draft.from === "artifact" ? "" : "Storing the data…");
        const parsed = parseArtifactPath(draft.artifact);
        const url = body
          ? (await exportTrajectories(body)).artifact
          : draft.from === "dataset" ? await storeDataset(project, draft.dataset, draft) : parsed ? artifactPath(parsed) : draft.artifact;
        made.current.data = { key, url };
      }
      let model = draft.model;
      if (model === "") {
        const modelKey = `${draft.modelName.trim()}\n${base}`;
        if (made.current.model?.key !== modelKey) {
          setPhase("Creating the model…");
          const [entity = "", name = ""] = project.split("/");
          const { id } = await createTrainedModel({ entity, project: name, name: draft.modelName.trim(), base_model: base });
          made.current.model = { key: modelKey, id };
        }
        model = made.current.model!.id;
      }
      setPhase("Starting the job…");
      return startTrainingJob({ model_id: model, kind: draft.kind, data_url: made.current.data!.url, config: setMembers(draft.config) });
    },
    invalidates: [["training jobs", project], ["trained models", project], ["collections", project]],
    done: ({ id }) => {
      toast({ kind: "ok", text: "The training job is created." });
      navigate(paths.trainingJob(project, id));
    },
  });
  const problem = problemOf(draft, "start") ?? (draft.model === "" && bases.data && base === "" ? "No base model has a file on the server." : null);
  const error = (name: string) => start.error?.field(`config.${name}`) ?? start.error?.field(name) ?? null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!problem && !start.pending) void start.run().catch(() => undefined);
      }}
    >
      <div class="card card-pad stack wizard-step">
        <Field label="Model" hint={draft.model ? "Continues from its newest checkpoint." : "A new model starts as its base model."} error={models.error?.message ?? null}>
          <Select
            value={draft.model} onChange={(model) => set({ model })}
            options={[{ value: "", text: "New model" }, ...(models.data ?? []).map(({ id, name, step }) => ({ value: id, text: `${name} (step ${step})` }))]}
          />
        </Field>
        {draft.model === "" && (
          <div class="pair">
            <Field label="Name" required error={error("name")}><TextInput value={draft.modelName} maxLength={128} placeholder="helper" onInput={(modelName) => set({ modelName })} /></Field>
            <Field label="Base model" required error={bases.error?.message ?? error("base_model")} hint={bases.data?.length === 0 ? "An administrator adds models with a file under Inference." : undefined}>
              <Select value={base} onChange={(next) => set({ base: next })} options={(bases.data ?? []).map(({ name }) => ({ value: name, text: name }))} />
            </Field>
          </div>
        )}
        {body && (
          <Field label="Name of the data" required hint="An artifact of this project; the same name makes a new version.">
            <TextInput value={draft.name} mono maxLength={128} onInput={(name) => set({ name })} />
          </Field>
        )}
        <h2 class="wizard-title">Settings</h2>
        <ConfigFields kind={draft.kind} value={draft.config} onChange={(config) => set({ config })} error={error} />
        {start.error && <ErrorNote title="The job was not started" message={start.error.message} requestId={start.error.requestId} />}
      </div>
      <div class="wizard-foot">
        {back}
        <span class="ui-grow" />
        <span class="soft" role="status">{start.pending ? phase : problem}</span>
        <Button type="submit" kind="primary" icon="rocket" busy={start.pending} disabled={problem !== null}>Start training</Button>
      </div>
    </form>
  );
}
