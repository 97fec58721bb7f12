// Creates or changes a webhook, with its secrets.

import { useRef, useState } from "preact/hooks";

import { type Webhook, changeWebhook, createWebhook, testNewWebhook } from "../../api/automation";
import { useMutation, useQuery } from "../../api/cache";
import { createSecret, listSecrets } from "../../api/identity";
import { allPages } from "../../api/paging";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { NumberInput, TextInput } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";
import { addressError, bodyOf, draftOf, isComplete, newSecrets } from "./draft";
import { ProbeResult } from "./probe";
import { SecretChoice } from "./secret_choice";

const SHOWN = ["name", "url_endpoint", "access_token_ref", "secret_ref", "max_concurrency"];

export interface WebhookDialogProps {
  team: string;
  /** The webhook to change; without it a new one is made. */
  webhook?: Webhook;
  onClose: () => void;
  onSaved: (webhook: Webhook) => void;
}

export function WebhookDialog({ team, webhook, onClose, onSaved }: WebhookDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(webhook ?? null));
  const created = useRef(new Set<string>());
  const secrets = useQuery({
    key: ["secrets", team],
    read: async (signal) => (await allPages((cursor) => listSecrets(team, { cursor, limit: 200 }, signal))).map(({ name }) => name),
  });
  // A secret that was made before the webhook was refused is not made twice.
  const names = (secrets.data ?? []).filter((name) => !created.current.has(name));
  const save = useMutation({
    change: async () => {
      for (const secret of newSecrets(draft)) {
        if (created.current.has(secret.name)) continue;
        await createSecret(team, secret);
        created.current.add(secret.name);
      }
      return webhook ? changeWebhook(team, webhook.id, bodyOf(draft)) : createWebhook(team, bodyOf(draft));
    },
    invalidates: [["webhooks", team], ["secrets", team]],
    done: (saved) => {
      toast({ kind: "ok", text: webhook ? "The webhook is changed." : `The webhook ${saved.name} is created.` });
      onSaved(saved);
    },
  });
  const probe = useMutation({ change: () => testNewWebhook(team, { ...bodyOf(draft), payload: { test: true } }) });
  const complete = isComplete(draft, names);
  const untested = newSecrets(draft).some(({ name }) => !created.current.has(name));
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  return (
    <FormDialog
      title={webhook ? `Change ${webhook.name}` : "New webhook"}
      action={webhook ? "Save" : "Create the webhook"}
      size="medium"
      onClose={onClose}
      onSubmit={() => void save.run().catch(() => undefined)}
      valid={complete}
      typed={draft.name !== "" || draft.url !== ""}
      state={save}
      shown={SHOWN}
      extra={
        <Button icon="send" disabled={!complete || untested} busy={probe.pending} onClick={() => void probe.run().catch(() => undefined)}>
          Send a test
        </Button>
      }
    >
      <Field label="Name" required error={save.error?.field("name") ?? null}>
        <TextInput value={draft.name} maxLength={64} placeholder="ci" onInput={(name) => set({ name })} />
      </Field>
      <Field label="Endpoint" required hint="Gets a POST request with JSON." error={addressError(draft.url) ?? save.error?.field("url_endpoint") ?? null}>
        <TextInput value={draft.url} mono maxLength={2048} placeholder="https://ci.example.com/hooks/models" onInput={(url) => set({ url })} />
      </Field>
      <SecretChoice
        label="Access token" hint="Sent as Authorization: Bearer …" suggested="WEBHOOK_TOKEN" draft={draft.token} names={names}
        error={save.error?.field("access_token_ref") ?? null} onChange={(token) => set({ token })}
      />
      <SecretChoice
        label="Signing secret" hint="Signs each request, so that the endpoint can check who sent it." suggested="WEBHOOK_SIGNING" draft={draft.signing}
        names={names} error={save.error?.field("secret_ref") ?? null} onChange={(signing) => set({ signing })}
      />
      <Field label="Requests at the same time" hint="1 to 16. With 1, first attempts follow the order of the events." error={save.error?.field("max_concurrency") ?? null}>
        <NumberInput value={draft.concurrency} min={1} max={16} step={1} onInput={(concurrency) => set({ concurrency })} />
      </Field>
      {untested && <p class="ui-hint">A test can be sent once the new secrets are stored: create the webhook, then test it.</p>}
      <ProbeResult state={probe} />
    </FormDialog>
  );
}
