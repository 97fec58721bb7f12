// Starts a run on the server. Evaluation and model are chosen, or made on the spot.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { evaluateModel } from "../../api/evaluations";
import { listServedModels } from "../../api/models";
import { queryTable } from "../../api/objects";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { ErrorNote } from "../../ui/feedback";
import { NumberInput, Select, TextArea, TextInput } from "../../ui/inputs";
import { objectRef, tableDigest } from "../shared_objects/refs";
import { useLatestObjects } from "../shared_objects/versions";
import { isRecord } from "../shared_values/value_text";
import { createBuiltInScorer, createChatModel, createNewEvaluation } from "./create_parts";
import { NO_SCORER, ScorerFields, type ScorerChoice, scorerProblem } from "./scorer_fields";

const NEW = "(new)";

interface Props {
  project: string;
  /** Chosen at first. */
  evaluation: string;
  /** A dataset to make a new evaluation for. */
  dataset: string;
  onClose: () => void;
}

/** The names of the members of a dataset's first row, for templates and scorers. */
function useFields(project: string, rows: unknown): string[] {
  const digest = tableDigest(rows);
  const { data } = useQuery({
    key: ["table", project, digest, "first"],
    read: (signal) => queryTable({ project_id: project, digest: digest ?? "", limit: 1 }, signal),
    enabled: digest !== null,
    staleTime: Infinity,
  });
  const first = data?.rows[0]?.val;
  return isRecord(first) ? Object.keys(first) : [];
}

export function NewRunDialog({ project, evaluation: initial, dataset: initialDataset, onClose }: Props) {
  const evaluations = useLatestObjects(project, ["Evaluation"], { values: true });
  const models = useLatestObjects(project, ["Model"], { values: true });
  const datasets = useLatestObjects(project, ["Dataset"], { values: true });
  const served = useQuery({ key: ["served models"], read: (signal) => listServedModels(signal) });
  const [evaluation, setEvaluation] = useState(initialDataset ? NEW : initial);
  const [model, setModel] = useState("");
  const [name, setName] = useState("");
  const [dataset, setDataset] = useState(initialDataset);
  const [scorers, setScorers] = useState<ScorerChoice>(NO_SCORER);
  const [trials, setTrials] = useState<number | null>(1);
  const [modelName, setModelName] = useState("");
  const [gateway, setGateway] = useState("");
  const [prompt, setPrompt] = useState("");
  const [temperature, setTemperature] = useState<number | null>(0);
  const [tried, setTried] = useState(false);

  const runnable = (models.data ?? []).filter(({ val, leaf_object_class }) =>
    leaf_object_class === "LLMStructuredCompletionModel" || (isRecord(val) && (val.kind === "chat_completion" || (isRecord(val.attributes) && val.attributes.kind === "chat_completion"))));
  const chosenEvaluation = evaluation || evaluations.data?.[0]?.object_id || (evaluations.data ? NEW : "");
  const chosenModel = model || runnable[0]?.object_id || (models.data ? NEW : "");
  const evaluationValue = evaluations.data?.find(({ object_id }) => object_id === chosenEvaluation)?.val;
  const datasetName = chosenEvaluation === NEW ? dataset || datasets.data?.[0]?.object_id || "" : "";
  const datasetObject = datasets.data?.find(({ object_id, digest }) =>
    chosenEvaluation === NEW ? object_id === datasetName : isRecord(evaluationValue) && evaluationValue.dataset === objectRef(project, object_id, digest));
  const fields = useFields(project, isRecord(datasetObject?.val) ? datasetObject.val.rows : null);

  const problems = {
    name: chosenEvaluation === NEW && name.trim() === "" ? "Give it a name." : null,
    dataset: chosenEvaluation === NEW && datasetName === "" ? "There is no dataset yet. Create one first." : null,
    scorers: chosenEvaluation === NEW ? scorerProblem(scorers) : null,
    modelName: chosenModel === NEW && modelName.trim() === "" ? "Give it a name." : null,
    gateway: chosenModel === NEW && gateway.trim() === "" ? "Choose the model that is asked." : null,
    prompt: chosenModel === NEW && prompt.trim() === "" ? "Write what is sent for each row." : null,
  };
  const start = useMutation({
    change: async () => {
      let evaluationRef = objectRef(project, chosenEvaluation, "latest");
      if (chosenEvaluation === NEW) {
        const made = await Promise.all(scorers.drafts.map((draft) => createBuiltInScorer(project, draft)));
        const refs = [...scorers.existing, ...made];
        evaluationRef = await createNewEvaluation(project, {
          name: name.trim(), dataset: objectRef(project, datasetName, datasetObject?.digest ?? "latest"), scorers: refs, trials: trials ?? 1,
        });
      }
      const modelRef = chosenModel === NEW
        ? await createChatModel(project, { name: modelName.trim(), model: gateway.trim(), prompt, temperature })
        : objectRef(project, chosenModel, "latest");
      return evaluateModel({ project_id: project, evaluation_ref: evaluationRef, model_ref: modelRef });
    },
    invalidates: [["evaluation runs", project], ["objects", project]],
    done: ({ call_id }) => {
      toast({ kind: "ok", text: "The run has started." });
      onClose();
      navigate(paths.evals(project, call_id));
    },
  });
  const insertField = (field: string) => setPrompt(`${prompt}{${field}}`);
  const versionText = (version: { object_id: string; version_index: number }) => `${version.object_id}:v${version.version_index}`;
  return (
    <Dialog
      open onClose={onClose} title="New run" keepOpen={name !== "" || prompt !== ""}
      onSubmit={() => {
        setTried(true);
        if (Object.values(problems).every((problem) => problem === null)) void start.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" icon="play" busy={start.pending}>Start</Button>
        </>
      }
    >
      <p class="soft">The server asks the model for each row of the dataset and scores the answers. You can close the browser meanwhile.</p>
      <Field label="Evaluation">
        <Select value={chosenEvaluation} onChange={setEvaluation}
          options={[...(evaluations.data ?? []).map((item) => ({ value: item.object_id, text: versionText(item) })), { value: NEW, text: "New evaluation…" }]} />
      </Field>
      {chosenEvaluation === NEW && (
        <fieldset class="part stack">
          <legend class="visually-hidden">New evaluation</legend>
          <div class="part-pair">
            <Field label="Name of the evaluation" required error={tried ? problems.name : null}><TextInput value={name} onInput={setName} placeholder="quiz" /></Field>
            <Field label="Dataset" required error={tried ? problems.dataset : null}>
              <Select value={datasetName} onChange={setDataset} options={(datasets.data ?? []).map((item) => ({ value: item.object_id, text: versionText(item) }))} />
            </Field>
          </div>
          <ScorerFields project={project} fields={fields} models={served.data?.data.map(({ id }) => id) ?? []} value={scorers} onChange={setScorers} error={tried ? problems.scorers : null} />
          <Field label="Trials per row" hint="More trials show how much answers vary."><NumberInput value={trials} onInput={setTrials} min={1} max={100} step={1} /></Field>
        </fieldset>
      )}
      <Field label="Model" hint={chosenModel === NEW ? undefined : "Versions are resolved when the run starts."}>
        <Select value={chosenModel} onChange={setModel}
          options={[...runnable.map((item) => ({ value: item.object_id, text: versionText(item) })), { value: NEW, text: "New model with a prompt…" }]} />
      </Field>
      {chosenModel === NEW && (
        <fieldset class="part stack">
          <legend class="visually-hidden">New model</legend>
          <div class="part-pair">
            <Field label="Name of the model" required error={tried ? problems.modelName : null}><TextInput value={modelName} onInput={setModelName} placeholder="guide" /></Field>
            <Field label="Asks" required error={tried ? problems.gateway : null}>
              <Combobox value={gateway} onChange={setGateway} options={(served.data?.data ?? []).map(({ id }) => ({ value: id }))} free placeholder="model of the gateway" />
            </Field>
          </div>
          <Field label="Prompt" required error={tried ? problems.prompt : null} hint="Names in braces become the members of the row.">
            <TextArea value={prompt} onInput={setPrompt} rows={4} mono placeholder="{question}" />
          </Field>
          {fields.length > 0 && (
            <div class="part-fields">
              {fields.slice(0, 12).map((field) => <Button key={field} small onClick={() => insertField(field)}>{`{${field}}`}</Button>)}
            </div>
          )}
          <Field label="Temperature"><NumberInput value={temperature} onInput={setTemperature} min={0} max={2} step={0.1} /></Field>
        </fieldset>
      )}
      {start.error && <ErrorNote title="The run did not start" message={start.error.message} requestId={start.error.requestId} />}
    </Dialog>
  );
}
