// The playground: one conversation, up to four models beside each other.

import { useEffect, useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { readCall } from "../../api/calls";
import { listServedModels } from "../../api/models";
import { readObject } from "../../api/objects";
import { listTrainedModels } from "../../api/training";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { Button } from "../../ui/button";
import { Empty, ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { NumberInput, TextArea } from "../../ui/inputs";
import { Menu } from "../../ui/menu";
import { ToDatasetDialog } from "../shared_collect/to_dataset";
import { parseRef } from "../shared_objects/refs";
import { artifactPath } from "../shared_training/artifact_path";
import { AnswerColumn } from "./answer_column";
import { type Draft, EMPTY_DRAFT, canSend, filled, fromCall, fromPrompt, requestOf, variablesOf } from "./conversation";
import { MessagesEditor } from "./messages_editor";
import { SavePromptDialog } from "./save_prompt";
import { useAnswers } from "./use_answers";

const MOST_MODELS = 4;

/** The draft of a project in this browser: what was typed survives a reload. */
function storedDraft(project: string): Draft {
  try {
    const value = JSON.parse(sessionStorage.getItem(`spindle.playground.${project}`) ?? "null") as Draft | null;
    return value && Array.isArray(value.messages) && value.messages.length > 0 ? { messages: value.messages, settings: { ...EMPTY_DRAFT.settings, ...value.settings } } : EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

export default function Playground() {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [from] = useUrlState("from", codecs.text());
  const [prompt] = useUrlState("prompt", codecs.text());
  const [chosen, setChosen] = useUrlState("models", codecs.list());
  const [diff, setDiff] = useUrlState("diff", codecs.flag());
  const [draft, setDraft] = useState(() => storedDraft(project));
  const [values, setValues] = useState<Record<string, string>>({});
  const [dialog, setDialog] = useState<"prompt" | { row: number } | null>(null);
  const served = useQuery({ key: ["served models"], read: (signal) => listServedModels(signal) });
  const source = useQuery({
    key: ["playground source", project, from, prompt],
    read: async (signal) => {
      if (from) {
        const { call } = await readCall({ project_id: project, id: from }, signal);
        return call ? fromCall(call.inputs) : null;
      }
      const ref = parseRef(prompt);
      const { obj } = await readObject({ project_id: project, object_id: ref?.name ?? prompt, digest: ref?.version ?? "latest" }, signal);
      const found = fromPrompt(obj.val);
      return found && { draft: found, model: null };
    },
    enabled: from !== "" || prompt !== "",
    staleTime: Infinity,
    keep: false,
  });
  const trained = useQuery({ key: ["trained models", project], read: (signal) => listTrainedModels({ project, limit: 100 }, signal) });
  const checkpoints = trained.data?.items.filter(({ step }) => step > 0).map(({ name, step }) => artifactPath({ project, name, version: `step${step}` })) ?? [];
  const names = [...(served.data?.data.map(({ id }) => id) ?? []), ...checkpoints];
  const models = chosen.length > 0 ? chosen.slice(0, MOST_MODELS) : [names[0] ?? ""];
  const { answers, ask, stop, remove, busy } = useAnswers(project);

  useEffect(() => {
    if (!source.data) return;
    setDraft(source.data.draft);
    if (source.data.model && chosen.length === 0) setChosen([source.data.model], { replace: true });
  }, [source.data]);
  useEffect(() => sessionStorage.setItem(`spindle.playground.${project}`, JSON.stringify(draft)), [project, draft]);

  const variables = variablesOf(draft.messages);
  const ready = canSend(draft) && models.every((model) => model !== "") && write;
  const send = () => {
    if (ready) models.forEach((model, index) => void ask(index, requestOf(model, draft, values)));
  };
  const setModel = (index: number, model: string) => setChosen(models.map((other, at) => (at === index ? model : other)), { replace: true });
  const setSettings = (change: Partial<Draft["settings"]>) => setDraft({ ...draft, settings: { ...draft.settings, ...change } });
  useShortcut({ keys: "mod+enter", label: "Send to all models", group: "Playground" }, send);
  useShortcut({ keys: "d", label: "Show differences", group: "Playground" }, () => setDiff(!diff, { replace: true }), models.length > 1);

  if (served.data && names.length === 0 && chosen.length === 0) {
    return (
      <div class="page">
        <Empty
          title="There is no model to ask" icon="flask" actions={<Button kind="primary" href={href(paths.inference())}>Add a model</Button>}
          snippets={[{ title: "Add a model of another server", text: "spindle upstream add hosted https://api.example.com/v1 --key-env PROVIDER_KEY\nspindle model add gpt --upstream hosted=gpt-4o-mini" }]}
        >
          <p>The playground asks the models of this server’s gateway. Add an upstream, or serve a model file.</p>
        </Empty>
      </div>
    );
  }
  const base = answers[0];
  const lastUser = [...draft.messages].reverse().find(({ role }) => role === "user")?.text ?? "";
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles"><h1>Playground</h1></div>
        <div class="fill-actions">
          {models.length > 1 && <Button pressed={diff} onClick={() => setDiff(!diff, { replace: true })}>Differences</Button>}
          {models.length < MOST_MODELS && <Button icon="add" onClick={() => setChosen([...models, names.find((name) => !models.includes(name)) ?? ""], { replace: true })}>Model</Button>}
          <Menu
            label="More" align="end"
            items={[
              ...(write ? [{ text: "Save as a prompt", icon: "save" as const, onSelect: () => setDialog("prompt") }] : []),
              { text: "Start again", icon: "refresh" as const, onSelect: () => { setDraft(EMPTY_DRAFT); setUrlState({ from: null, prompt: null }); } },
            ]}
          />
          {busy ? <Button icon="stop" onClick={stop}>Stop</Button>
            : <Button kind="primary" icon="send" disabled={!ready} onClick={send}>{models.length > 1 ? `Send to ${models.length} models` : "Send"} <kbd>Ctrl Enter</kbd></Button>}
        </div>
      </div>
      {(served.error ?? source.error) && (
        <div class="fill-note">
          <ErrorNote title={source.error ? "The conversation could not be read" : "The models could not be read"} message={(source.error ?? served.error)?.message ?? null} requestId={(source.error ?? served.error)?.requestId ?? null}
            onRetry={source.error ? source.refetch : served.refetch} />
        </div>
      )}
      {source.data === null && from !== "" && <p class="fill-note soft">The call {from} has no inputs that can be sent.</p>}
      <div class="fill-body play">
        <section class="play-input" aria-label="Conversation">
          <MessagesEditor messages={draft.messages} onChange={(messages) => setDraft({ ...draft, messages })} onSend={send} />
          {variables.length > 0 && (
            <fieldset class="stack">
              <legend class="ui-label">Values</legend>
              {variables.map((name) => <Field key={name} label={name}><TextArea rows={1} value={values[name] ?? ""} onInput={(text) => setValues({ ...values, [name]: text })} onSubmit={send} /></Field>)}
            </fieldset>
          )}
          <fieldset class="play-settings">
            <legend class="ui-label">Settings</legend>
            <Field label="Temperature"><NumberInput value={draft.settings.temperature} onInput={(temperature) => setSettings({ temperature })} min={0} max={2} step={0.1} placeholder="default" /></Field>
            <Field label="Most tokens"><NumberInput value={draft.settings.maxTokens} onInput={(maxTokens) => setSettings({ maxTokens })} min={1} step={1} placeholder="default" /></Field>
            <Field label="Top p"><NumberInput value={draft.settings.topP} onInput={(topP) => setSettings({ topP })} min={0} max={1} step={0.05} placeholder="default" /></Field>
          </fieldset>
          {!write && <p class="ui-hint">You can read this project. Members of the team can ask models.</p>}
        </section>
        <div class="play-columns" style={{ "--columns": String(models.length) }}>
          {models.map((model, index) => (
            <AnswerColumn
              key={index} index={index} model={model} models={names} answer={answers[index] ?? null} removable={models.length > 1} write={write}
              base={diff && index > 0 && base?.state === "done" ? { model: models[0] ?? "", text: base.text } : null}
              onModel={(next) => setModel(index, next)}
              onRemove={() => { remove(index); setChosen(models.filter((_, at) => at !== index), { replace: true }); }}
              onRetry={() => void ask(index, requestOf(model, draft, values))}
              onContinue={() => setDraft({ ...draft, messages: [...draft.messages, { role: "assistant", text: answers[index]?.text ?? "" }, { role: "user", text: "" }] })}
              onRow={() => setDialog({ row: index })}
            />
          ))}
        </div>
      </div>
      {dialog === "prompt" && <SavePromptDialog project={project} messages={draft.messages} name={parseRef(prompt)?.name ?? prompt} onClose={() => setDialog(null)} />}
      {dialog !== null && typeof dialog === "object" && (
        <ToDatasetDialog
          project={project} onClose={() => setDialog(null)}
          rows={[{ ...(variables.length > 0 ? Object.fromEntries(variables.map((name) => [name, values[name] ?? ""])) : { question: filled(lastUser, values) }), target: answers[dialog.row]?.text ?? "" }]}
        />
      )}
    </div>
  );
}
