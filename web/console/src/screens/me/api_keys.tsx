// API keys: listing, creating, revoking.

import { useState } from "preact/hooks";

import { invalidate, useMutation, usePages } from "../../api/cache";
import { type ApiKey, type IssuedApiKey, createApiKey, listApiKeys, revokeApiKey } from "../../api/identity";
import { Section } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { toast } from "../../app/toasts";
import { formatDay, formatRelative } from "../../format/time";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy_button";
import { ConfirmDialog, Dialog } from "../../ui/dialog";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";

const KEY = ["api keys"];
const DAY_MS = 86_400_000;

type Lifetime = "never" | "7" | "30" | "90" | "365";

const LIFETIMES: { value: Lifetime; text: string }[] = [
  { value: "never", text: "Does not expire" },
  { value: "7", text: "7 days" },
  { value: "30", text: "30 days" },
  { value: "90", text: "90 days" },
  { value: "365", text: "One year" },
];

function NewKeyDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (key: IssuedApiKey) => void }) {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<Lifetime>("90");
  const create = useMutation({
    change: () =>
      createApiKey({
        name: name.trim(),
        expires_at: lifetime === "never" ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString(),
      }),
    invalidates: [KEY],
    done: onCreated,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="New API key"
      size="small"
      keepOpen={name !== ""}
      onSubmit={() => {
        if (name.trim() !== "") void create.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={name.trim() === ""} busy={create.pending}>Create the key</Button>
        </>
      }
    >
      <div class="stack">
        <Field label="Name" required hint="What uses the key, such as laptop or nightly-evals." error={create.error?.message ?? null}>
          <TextInput value={name} onInput={setName} />
        </Field>
        <Field label="Expires"><Select value={lifetime} onChange={setLifetime} options={LIFETIMES} /></Field>
      </div>
    </Dialog>
  );
}

function IssuedDialog({ issued, onClose }: { issued: IssuedApiKey; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} keepOpen title="Your new API key" size="medium"
      actions={<Button kind="primary" onClick={onClose}>I have stored it</Button>}>
      <div class="stack">
        <p>Copy the key now. The server stores only a hash of it and cannot show it again.</p>
        <div class="issued">
          <code>{issued.key}</code>
          <CopyButton text={issued.key} label="Copy the key" kind="normal">Copy</CopyButton>
        </div>
      </div>
    </Dialog>
  );
}

export function ApiKeys() {
  const keys = usePages<ApiKey>({ key: KEY, read: (cursor, signal) => listApiKeys({ cursor, limit: 100 }, signal) });
  const [adding, setAdding] = useState(false);
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [now] = useState(Date.now);
  const revoke = useMutation({
    change: (key: ApiKey) => revokeApiKey(key.id),
    done: (_, key) => {
      setRevoking(null);
      toast({ kind: "ok", text: `The key ${key.name} is revoked.` });
      void invalidate(KEY);
    },
  });
  return (
    <Section
      title="API keys"
      lead="For SDKs, exporters and scripts. A key can do what you can do."
      actions={<Button icon="add" onClick={() => setAdding(true)}>New key</Button>}
    >
      {keys.error && (
        <ErrorNote title="The keys could not be read" message={keys.error.message} requestId={keys.error.requestId}
          onRetry={keys.refetch} retrying={keys.refetching} />
      )}
      {keys.loading ? <Skeleton lines={3} /> : (
        <Table
          label="API keys"
          rows={keys.items}
          rowKey={({ id }) => id}
          empty="No keys yet. SDKs and exporters need one."
          columns={[
            { key: "name", title: "Name", wide: true, cell: ({ name }) => <SafeText text={name} line /> },
            { key: "id", title: "Begins with", spare: true, cell: ({ key_id }) => <code>{key_id}</code> },
            { key: "used", title: "Last used", cell: ({ last_used_at }) => (last_used_at ? formatRelative(last_used_at, now) : "never") },
            { key: "expires", title: "Expires", cell: ({ expires_at }) => (expires_at ? formatDay(expires_at, timeZone.value) : "never") },
            {
              key: "actions",
              title: "Actions",
              hideTitle: true,
              cell: (key) => <Button small kind="quiet" icon="trash" label={`Revoke ${key.name}`} onClick={() => setRevoking(key)} />,
            },
          ]}
        />
      )}
      {keys.hasMore && <Button kind="quiet" busy={keys.loadingMore} onClick={keys.more}>Show more</Button>}
      {adding && (
        <NewKeyDialog
          onClose={() => setAdding(false)}
          onCreated={(key) => {
            setAdding(false);
            setIssued(key);
          }}
        />
      )}
      {issued && <IssuedDialog issued={issued} onClose={() => setIssued(null)} />}
      <ConfirmDialog
        open={revoking !== null}
        title={`Revoke the key ${revoking?.name ?? ""}?`}
        action="Revoke"
        busy={revoke.pending}
        error={revoke.error?.message ?? null}
        onClose={() => setRevoking(null)}
        onConfirm={() => {
          if (revoking) void revoke.run(revoking).catch(() => undefined);
        }}
      >
        <p>Everything that uses this key is refused from then on. This cannot be undone.</p>
      </ConfirmDialog>
    </Section>
  );
}
