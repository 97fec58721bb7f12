// Creates a queue with its questions: existing specs, or new ones.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { createObject } from "../../api/objects";
import { createQueue } from "../../api/queues";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Checkbox, Select, TextArea, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { objectIdOf, objectRef } from "../shared_objects/refs";
import { useLatestObjects } from "../shared_objects/versions";
import { questionOf, schemaOf } from "./questions";

type Kind = "choice" | "boolean" | "scale" | "text";
interface Draft {
  name: string;
  kind: Kind;
  choices: string;
}

const KINDS: { value: Kind; text: string }[] = [
  { value: "choice", text: "One of several" }, { value: "boolean", text: "Yes or no" }, { value: "scale", text: "1 to 5" }, { value: "text", text: "Text" },
];
const choicesOf = (text: string) => [...new Set(text.split(",").map((item) => item.trim()).filter((item) => item !== ""))];

export function NewQueueDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const specs = useLatestObjects(project, ["AnnotationSpec"], { values: true });
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [refs, setRefs] = useState<string[]>([]);
  const [drafts, setDrafts] = useState<Draft[]>([]);
  const [tried, setTried] = useState(false);
  const set = (index: number, change: Partial<Draft>) => setDrafts(drafts.map((draft, at) => (at === index ? { ...draft, ...change } : draft)));
  const problem = refs.length + drafts.length === 0 ? "Choose or add at least one question."
    : drafts.some((draft) => objectIdOf(draft.name) === "") ? "Each question needs a name."
    : drafts.some((draft) => draft.kind === "choice" && choicesOf(draft.choices).length < 2) ? "Write at least two choices, separated by commas."
    : null;
  const create = useMutation({
    change: async () => {
      const made: string[] = [];
      for (const { name: label, kind, choices } of drafts) {
        const { object_id, digest } = await createObject({
          obj: { project_id: project, object_id: objectIdOf(label), builtin_object_class: "AnnotationSpec", val: { name: label.trim(), field_schema: schemaOf(kind, choicesOf(choices)) } },
        });
        made.push(objectRef(project, object_id, digest));
      }
      return createQueue({ project_id: project, name: name.trim(), description: description.trim(), scorer_refs: [...refs, ...made] });
    },
    invalidates: [["queues", project], ["objects", project]],
    done: ({ id }) => {
      toast({ kind: "ok", text: "The queue is created. Add calls to it." });
      navigate(paths.queues(project, id));
    },
  });
  return (
    <Dialog
      open onClose={onClose} title="New annotation queue" keepOpen={name !== "" || drafts.length > 0}
      onSubmit={() => {
        setTried(true);
        if (problem === null && name.trim() !== "") void create.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={create.pending}>Create</Button>
        </>
      }
    >
      <Field label="Name" required error={tried && name.trim() === "" ? "Give it a name." : null}><TextInput value={name} onInput={setName} placeholder="Answers of this week" /></Field>
      <Field label="Guide for annotators"><TextArea value={description} onInput={setDescription} rows={2} placeholder="What to look at, and what a good answer is." /></Field>
      <fieldset class="stack">
        <legend class="ui-label">Questions</legend>
        <div class="spec-list">
          {(specs.data ?? []).map((spec) => {
            const ref = objectRef(project, spec.object_id, spec.digest);
            const question = questionOf(ref, spec);
            return (
              <Checkbox key={ref} checked={refs.includes(ref)} onChange={(on) => setRefs(on ? [...refs, ref] : refs.filter((other) => other !== ref))}>
                <span><SafeText text={question.name} line /> <span class="faint">{question.kind === "choice" ? question.options.map(({ text }) => text).join(" · ") : question.kind}</span></span>
              </Checkbox>
            );
          })}
        </div>
        {drafts.map((draft, index) => (
          <div key={index} class="spec-draft">
            <TextInput label="Question" placeholder="Is it right?" value={draft.name} onInput={(text) => set(index, { name: text })} />
            <Select label="Kind of answer" value={draft.kind} options={KINDS} onChange={(kind) => set(index, { kind })} />
            {draft.kind === "choice" && <TextInput label="Choices" placeholder="correct, incomplete, wrong" value={draft.choices} onInput={(choices) => set(index, { choices })} />}
            <Button kind="quiet" icon="close" label="Remove the question" onClick={() => setDrafts(drafts.filter((_, at) => at !== index))} />
          </div>
        ))}
        <div><Button small icon="add" onClick={() => setDrafts([...drafts, { name: "", kind: "choice", choices: "" }])}>Add a question</Button></div>
        {tried && problem && <p class="ui-field-error" role="alert">{problem}</p>}
      </fieldset>
      {create.error && <ErrorNote title="The queue was not created" message={create.error.message} requestId={create.error.requestId} />}
    </Dialog>
  );
}
