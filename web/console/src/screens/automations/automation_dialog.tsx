// Creates or changes an automation, with the body it would send beside the form.

import { useMemo, useState } from "preact/hooks";

import {
  type Automation, changeAutomation, createAutomation, listEventTypes, listPayloadPresets,
} from "../../api/automation";
import { useMutation, useQuery } from "../../api/cache";
import { useProjects, useRights } from "../../app/me";
import { toast } from "../../app/toasts";
import { CodeEditor } from "../../ui/code_editor";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { Dialog } from "../../ui/dialog";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { EVENT_TEXTS, eventText, scopeText } from "../shared_automation/events";
import { useWebhooks } from "../shared_automation/use_team_rules";
import { FormDialog } from "../shared_parts/form_dialog";
import { ConditionFields } from "./condition_fields";
import {
  type AutomationDraft, EMPTY_DRAFT, KEPT, ORGANIZATION, TEAM, bodyOf, draftOf, filtersOf, missingCondition, scopeType,
} from "./draft";
import { Preview } from "./preview";
import { DEFAULT_TEMPLATE, VARIABLES, prettyTemplate } from "./template";

const SHOWN = ["name", "description", "action.payload", "event.alias_regex", "event.tag_regex", "event.metric.name", "action.webhook_id"];

export interface AutomationDialogProps {
  team: string;
  automation?: Automation;
  /** Values that a link or a preset gave. */
  initial?: Partial<AutomationDraft>;
  onClose: () => void;
  onSaved: (automation: Automation) => void;
}

const EVENT_ORDER = Object.keys(EVENT_TEXTS);

/** Kinds that this console has no text for come last. */
function placeOf(type: string): number {
  const place = EVENT_ORDER.indexOf(type);
  return place < 0 ? EVENT_ORDER.length : place;
}

export function AutomationDialog({ team, automation, initial, onClose, onSaved }: AutomationDialogProps) {
  const [draft, setDraft] = useState<AutomationDraft>(() => (automation ? draftOf(automation, team) : { ...EMPTY_DRAFT, ...initial }));
  const types = useQuery({ key: ["event types"], read: (signal) => listEventTypes(signal), staleTime: 600_000 });
  const presets = useQuery({ key: ["payload presets"], read: (signal) => listPayloadPresets(signal), staleTime: 600_000 });
  const webhooks = useWebhooks(team);
  const projects = useProjects();
  const rights = useRights(team);
  const set = (change: Partial<AutomationDraft>) => setDraft((before) => ({ ...before, ...change }));
  const kinds = types.data?.items ?? [];
  const filters = useMemo(() => filtersOf(kinds, draft.type), [types.data, draft.type]);
  const place = scopeType(draft, team);
  const fits = kinds.find(({ type }) => type === draft.type)?.scopes.includes(place) ?? true;
  const incomplete = missingCondition(draft, kinds) ?? (fits ? null : "This event cannot be watched in this place.");
  const missing = draft.name.trim() === "" ? "Give it a name." : incomplete;
  const save = useMutation({
    change: () => {
      const body = bodyOf(draft, team, kinds);
      return automation ? changeAutomation(automation.id, body) : createAutomation(body);
    },
    invalidates: [["automations"]],
    done: (saved) => {
      const warnings = saved.warnings?.map(({ message }) => message).join(" ") ?? "";
      toast({ kind: warnings ? "info" : "ok", text: `The automation ${saved.name} is ${automation ? "changed" : "created"}. ${warnings}`.trim() });
      onSaved(saved);
    },
  });
  const fieldError = (path: string) => save.error?.field(path) ?? null;
  const template = draft.preset === "own"
    ? draft.payload
    : draft.preset === "default" ? DEFAULT_TEMPLATE : (presets.data?.items.find(({ name }) => name === draft.preset)?.payload ?? "{}");
  const projectNames = projects.data?.filter((project) => project.team === team).map(({ name }) => name) ?? [];
  const places = [
    ...(rights.administer ? [{ value: TEAM, text: `The whole team ${team}` }] : []),
    ...projectNames.map((name) => ({ value: name, text: `Project ${name}` })),
    ...(rights.organizationAdmin ? [{ value: ORGANIZATION, text: "Everything on this server" }] : []),
    ...(draft.scope ? [{ value: KEPT, text: scopeText(draft.scope) }] : []),
  ];
  const title = automation ? `Change ${automation.name}` : "New automation";
  if (!types.data || !presets.data) {
    const error = types.error ?? presets.error;
    return (
      <Dialog open onClose={onClose} title={title} size="large">
        {error ? <ErrorNote title="The kinds of events could not be read" message={error.message} requestId={error.requestId}
          onRetry={() => { types.refetch(); presets.refetch(); }} /> : <Skeleton lines={10} label="Loading the kinds of events" />}
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={title}
      action={automation ? "Save" : "Create the automation"}
      size="large"
      onClose={onClose}
      onSubmit={() => void save.run().catch(() => undefined)}
      valid={missing === null}
      state={save}
      shown={SHOWN}
      extra={missing && <span class="ui-hint">{missing}</span>}
    >
      <div class="automation-form">
        <div class="stack">
          <Field label="Name" required error={fieldError("name")}>
            <TextInput value={draft.name} maxLength={255} placeholder="deploy production" onInput={(name) => set({ name })} />
          </Field>
          <Field label="When" required>
            <Select
              value={draft.type} onChange={(type) => set({ type })}
              options={[...kinds].sort((a, b) => placeOf(a.type) - placeOf(b.type)).map(({ type }) => ({ value: type, text: eventText(type) }))}
            />
          </Field>
          <ConditionFields draft={draft} set={set} filters={filters} fieldError={fieldError} />
          <Field label="Where" required error={fits ? null : "This event cannot be watched here. Choose a project or another event."}>
            <Select value={draft.place} options={places} onChange={(value) => set({ place: value })} />
          </Field>
          <Field label="Then call" error={fieldError("action.webhook_id")}
            hint={webhooks.data?.length === 0 ? "The team has no webhook yet. Without one, deliveries are only recorded." : undefined}>
            <Select
              value={draft.webhook} onChange={(webhook) => set({ webhook })}
              options={[
                { value: "", text: "Nothing (only record it)" },
                ...(webhooks.data ?? []).map(({ id, name, status }) => ({ value: id, text: status === "active" ? name : `${name} (disabled)` })),
              ]}
            />
          </Field>
          <Field label="Description"><TextInput value={draft.description} maxLength={2000} onInput={(description) => set({ description })} /></Field>
        </div>
        <div class="stack">
          <Field label="Payload" hint={presets.data.items.find(({ name }) => name === draft.preset)?.description}>
            <Select
              value={draft.preset}
              onChange={(preset) => set(preset === "own" ? { preset, payload: prettyTemplate(template) } : { preset })}
              options={[
                { value: "default", text: "All common values" },
                ...presets.data.items.map(({ name }) => ({ value: name, text: name.replaceAll("_", " ") })),
                { value: "own", text: "Own template" },
              ]}
            />
          </Field>
          {draft.preset === "own" && (
            <>
              <Field label="Template" error={fieldError("action.payload")}>
                <CodeEditor value={draft.payload} onInput={(payload) => set({ payload })} language="text" rows={8} />
              </Field>
              <details class="automation-variables">
                <summary>Variables</summary>
                <p>{VARIABLES.map((name) => <code key={name}>{`\${${name}}`}</code>)}<code>{"${artifact_metadata.KEY}"}</code></p>
              </details>
            </>
          )}
          <Preview team={team} body={bodyOf(draft, team, kinds)} incomplete={incomplete} />
        </div>
      </div>
    </FormDialog>
  );
}
