// Adds calls to an annotation queue, which may be new.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { createQueue, listQueues } from "../../api/queues";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { JobDialog, type JobDialogProps } from "./job_dialog";

const NEW = "";

export function QueueDialog(props: JobDialogProps) {
  const queues = useQuery({ key: ["queues", props.project], read: (signal) => listQueues({ project_id: props.project, limit: 200 }, signal) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const list = queues.data ?? [];
  const queue = chosen ?? list[0]?.id ?? NEW;
  const isNew = queue === NEW;
  const parameters = async () => {
    if (!isNew) return { queue_id: queue, display_fields: ["inputs", "output"] };
    try {
      const { id } = await createQueue({ project_id: props.project, name: name.trim(), scorer_refs: [] });
      // A second attempt uses the queue that now exists.
      setChosen(id);
      queues.refetch();
      return { queue_id: id, display_fields: ["inputs", "output"] };
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  return (
    <JobDialog
      {...props} action="add_to_queue" title={(calls) => `Add ${calls} to a queue`} button="Add to the queue"
      ready={!queues.loading && (!isNew || name.trim() !== "")} typed={name !== ""} parameters={parameters}
    >
      <Field label="Annotation queue" hint="A call is in a queue once.">
        <Select
          value={queue} onChange={setChosen} disabled={queues.loading}
          options={[...list.map(({ id, name: text }) => ({ value: id, text })), { value: NEW, text: "New queue…" }]}
        />
      </Field>
      {isNew && (
        <Field label="Name of the new queue" required error={problem}>
          <TextInput value={name} onInput={setName} placeholder="review failures" maxLength={128} />
        </Field>
      )}
      {queues.error && <p class="ui-field-error" role="alert">The queues could not be read: {queues.error.message}</p>}
    </JobDialog>
  );
}
