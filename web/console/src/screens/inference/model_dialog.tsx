// Adds or changes a model of the catalogue: a file of this machine, or targets at upstreams.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { listTeams } from "../../api/identity";
import {
  type CatalogueModel, type ModelTarget, type NewModel, addModel, changeModel, listModels, listUpstreams, testUpstream,
} from "../../api/inference";
import { allPages } from "../../api/paging";
import { Segments } from "../../app/segments";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Field } from "../../ui/field";
import { Checkbox, NumberInput, Select, TextInput } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";
import { type ModelDraft, isCompleteModel, modelBody, modelDraft } from "./model_draft";

const SHOWN = ["name", "file", "context", "max_output_tokens"];
const ABILITIES = ["chat", "completions", "embeddings"] as const;

function TargetRow({ target, upstreams, onChange, onRemove }: {
  target: Required<ModelTarget>; upstreams: readonly string[]; onChange: (target: Required<ModelTarget>) => void; onRemove?: () => void;
}) {
  const models = useQuery({
    key: ["models of upstream", target.upstream],
    read: async () => (await testUpstream(target.upstream ?? "")).models,
    enabled: Boolean(target.upstream),
    staleTime: 60_000,
    keep: false,
  });
  return (
    <div class="target">
      <Field label="Upstream">
        <Select value={target.upstream ?? ""} onChange={(upstream) => onChange({ ...target, upstream })}
          options={[{ value: "", text: "Choose…", disabled: true }, ...upstreams.map((value) => ({ value, text: value }))]} />
      </Field>
      <Field label="Model there">
        <Combobox free value={target.model} placeholder="the same name" loading={models.loading} options={(models.data ?? []).map((value) => ({ value }))}
          onChange={(model) => onChange({ ...target, model })} />
      </Field>
      <Field label="Tier"><NumberInput value={target.tier} min={0} step={1} onInput={(tier) => onChange({ ...target, tier: tier ?? 0 })} /></Field>
      {onRemove && <Button kind="quiet" icon="close" label="Remove this target" onClick={onRemove} />}
    </div>
  );
}

export function ModelDialog({ model, onClose }: { model: CatalogueModel | null; onClose: () => void }) {
  const [draft, setDraft] = useState<ModelDraft>(() => modelDraft(model));
  const set = (change: Partial<ModelDraft>) => setDraft({ ...draft, ...change });
  const upstreams = useQuery({ key: ["upstreams", "names"], read: async (signal) => (await allPages((cursor) => listUpstreams({ cursor, limit: 200 }, signal))).map(({ name }) => name) });
  const models = useQuery({ key: ["catalogue", "names"], read: async (signal) => (await allPages((cursor) => listModels({ cursor, limit: 200 }, signal))).map(({ name }) => name) });
  const teams = useQuery({ key: ["teams"], read: async (signal) => (await allPages((cursor) => listTeams({ cursor, limit: 200 }, signal))).map(({ name }) => name) });
  const save = useMutation({
    change: () => {
      const body: NewModel = modelBody(draft);
      if (!model) return addModel(body);
      const { name: _, ...change } = body;
      return changeModel(model.name, change);
    },
    invalidates: [["catalogue"]],
    done: (saved) => {
      toast({ kind: "ok", text: model ? "The model is changed." : `${saved.name} is served from now on.` });
      onClose();
    },
  });
  const error = (path: string) => save.error?.field(path) ?? null;
  return (
    <FormDialog
      title={model ? `Change ${model.name}` : "New model"} action={model ? "Save" : "Add the model"} size="medium"
      onClose={onClose} onSubmit={() => void save.run().catch(() => undefined)} valid={isCompleteModel(draft)} state={save} shown={SHOWN}
    >
      {!model && (
        <Field label="Name" required hint="The model of requests. Cannot be changed later." error={error("name")}>
          <TextInput value={draft.name} mono onInput={(name) => set({ name })} placeholder="qwen3" />
        </Field>
      )}
      <Segments label="Served by" value={draft.kind} onChange={(kind) => set({ kind })} options={[
        ["upstream", "Upstreams"], ["file", "A file on this machine"],
        ...(model?.file_sha256 ? [["stored", "The uploaded file"] as const] : []),
      ]} />
      {draft.kind !== "upstream" ? (
        <>
          {draft.kind === "file" && (
            <Field label="File" required hint="The absolute path of a GGUF file on the machine of the server." error={error("file")}>
              <TextInput mono value={draft.file} onInput={(file) => set({ file })} placeholder="/models/small.gguf" />
            </Field>
          )}
          <Field label="Context length" hint="Tokens of one request. Empty: as the file says, up to a limit." error={error("context")}>
            <NumberInput value={draft.context} min={0} step={1} unit="tokens" onInput={(context) => set({ context })} />
          </Field>
          <Checkbox checked={draft.boot} onChange={(boot) => set({ boot })}>Load it when the server starts</Checkbox>
        </>
      ) : (
        <div class="stack">
          {upstreams.data?.length === 0 && <p class="ui-hint">There is no upstream yet. Add one on the tab Upstreams first.</p>}
          {draft.targets.map((target, index) => (
            <TargetRow
              key={index} target={target} upstreams={upstreams.data ?? []}
              onChange={(changed) => set({ targets: draft.targets.map((other, at) => (at === index ? changed : other)) })}
              {...(draft.targets.length > 1 ? { onRemove: () => set({ targets: draft.targets.filter((_, at) => at !== index) }) } : {})}
            />
          ))}
          <div><Button small icon="add" onClick={() => set({ targets: [...draft.targets, { upstream: "", model: "", tier: (draft.targets.at(-1)?.tier ?? -1) + 1 }] })}>Further target</Button></div>
          <p class="ui-hint">Targets of one tier share the requests. A higher tier is tried when all of the lower fail.</p>
        </div>
      )}
      <div class="model-abilities" role="group" aria-label="Kinds of requests">
        {ABILITIES.map((ability) => (
          <Checkbox key={ability} checked={draft.abilities.includes(ability)}
            onChange={(on) => set({ abilities: on ? [...draft.abilities, ability] : draft.abilities.filter((other) => other !== ability) })}>
            {ability}
          </Checkbox>
        ))}
      </div>
      <div class="pair">
        <Field label="When it fails, try">
          <Select value={draft.fallback} onChange={(fallback) => set({ fallback })}
            options={[{ value: "", text: "nothing else" }, ...(models.data ?? []).filter((name) => name !== model?.name).map((value) => ({ value, text: value }))]} />
        </Field>
        <Field label="Who may use it">
          <Select value={draft.team} onChange={(team) => set({ team })}
            options={[{ value: "", text: "all teams" }, ...(teams.data ?? []).map((value) => ({ value, text: `team ${value}` }))]} />
        </Field>
      </div>
      {(draft.fallbacks.length > 1 || draft.teams.length > 1) && (
        <p class="ui-hint">{[...draft.fallbacks.slice(1).map((name) => `Then ${name}`), ...draft.teams.slice(1).map((name) => `Also team ${name}`)].join(". ")}. The further ones stay as they are.</p>
      )}
    </FormDialog>
  );
}
