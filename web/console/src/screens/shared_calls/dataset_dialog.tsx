// Adds calls to a dataset: which one, and which values become its columns.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { listDatasets } from "../../api/objects";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { type ColumnPath, columnsProblem } from "./dataset_columns";
import { JobDialog, type JobDialogProps } from "./job_dialog";

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

export function DatasetDialog(props: JobDialogProps) {
  const [dataset, setDataset] = useState("");
  const [columns, setColumns] = useState<ColumnPath[]>([{ name: "inputs", path: "inputs" }, { name: "output", path: "output" }, { name: "call", path: "ref" }]);
  const known = useQuery({
    key: ["datasets", props.project, "names"],
    read: (signal) => listDatasets(props.project, { latest_only: true, order: "newest", limit: 200 }, signal),
  });
  const name = dataset.trim();
  const exists = known.data?.items.some(({ object_id }) => object_id === name) ?? false;
  const problem = columnsProblem(columns);
  const set = (index: number, change: Partial<ColumnPath>) =>
    setColumns(columns.map((column, at) => (at === index ? { ...column, ...change } : column)));
  return (
    <JobDialog
      {...props} action="add_to_dataset" title={(calls) => `Add ${calls} to a dataset`} button="Add to the dataset"
      ready={NAME.test(name) && problem === null} typed={name !== ""}
      parameters={() => ({
        dataset: name,
        columns: Object.fromEntries(columns.filter((column) => column.name.trim() !== "").map((column) => [column.name.trim(), column.path.trim()])),
      })}
    >
      <Field
        label="Dataset" required hint={name === "" ? "Choose one or write a new name." : exists ? "Gets one new version." : "Will be created."}
        error={name === "" || NAME.test(name) ? null : "Letters, digits, dots, dashes and underscores."}
      >
        <Combobox
          value={dataset} onChange={setDataset} free placeholder="failures" loading={known.loading}
          options={(known.data?.items ?? []).map(({ object_id }) => ({ value: object_id }))}
        />
      </Field>
      <fieldset class="dataset-columns">
        <legend class="ui-label">Columns and the values of a call</legend>
        {columns.map((column, index) => (
          <div key={index} class="dataset-column">
            <TextInput value={column.name} onInput={(value) => set(index, { name: value })} label={`Name of column ${index + 1}`} placeholder="question" />
            <span aria-hidden="true">←</span>
            <TextInput value={column.path} onInput={(value) => set(index, { path: value })} label={`Value of column ${index + 1}`} placeholder="inputs.question" mono />
            <Button kind="quiet" small icon="close" label={`Remove column ${index + 1}`} onClick={() => setColumns(columns.filter((_, at) => at !== index))} />
          </div>
        ))}
        <Button kind="quiet" small icon="add" onClick={() => setColumns([...columns, { name: "", path: "" }])}>Column</Button>
      </fieldset>
      {problem && <p class="ui-field-error" role="alert">{problem}</p>}
    </JobDialog>
  );
}
