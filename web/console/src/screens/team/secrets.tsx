// The secrets of a team: names are listed, values never.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type Secret, createSecret, deleteSecret, listSecrets, rotateSecret } from "../../api/identity";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { SecretInput, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Ago, useNow } from "../shared_parts/ago";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";

const NAME = /^[A-Za-z0-9_]{1,64}$/;

function SecretDialog({ team, secret, onClose }: { team: string; secret: Secret | null; onClose: () => void }) {
  const [name, setName] = useState(secret?.name ?? "");
  const [value, setValue] = useState("");
  const save = useMutation({
    change: () => (secret ? rotateSecret(team, secret.name, { value }) : createSecret(team, { name, value })),
    invalidates: [["secrets", team]],
    done: () => {
      toast({ kind: "ok", text: secret ? "The new value is used from the next request on." : `The secret ${name} is stored.` });
      onClose();
    },
  });
  const wrong = name !== "" && !NAME.test(name) ? "Letters, digits and underscores, at most 64." : null;
  return (
    <FormDialog title={secret ? `New value of ${secret.name}` : "New secret"} action={secret ? "Replace the value" : "Store the secret"} onClose={onClose}
      onSubmit={() => void save.run().catch(() => undefined)} valid={NAME.test(name) && value !== ""} typed={value !== ""} state={save} shown={["name", "value"]}>
      {!secret && (
        <Field label="Name" required hint="Also its name in payloads: ${CI_TOKEN}." error={wrong ?? save.error?.field("name") ?? null}>
          <TextInput mono value={name} maxLength={64} onInput={setName} placeholder="CI_TOKEN" />
        </Field>
      )}
      <Field label="Value" required hint="Stored encrypted. Nobody can read it here again." error={save.error?.field("value") ?? null}>
        <SecretInput value={value} onInput={setValue} />
      </Field>
      {secret && <p class="ui-hint">For 24 hours, requests are signed with both values, so that endpoints can change over.</p>}
    </FormDialog>
  );
}

export function Secrets({ team, administer }: { team: string; administer: boolean }) {
  const secrets = usePages<Secret>({ key: ["secrets", team, "pages"], read: (cursor, signal) => listSecrets(team, { cursor, limit: 100 }, signal) });
  const now = useNow();
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [rotating, setRotating] = useState<Secret | null>(null);
  const [removing, setRemoving] = useState<Secret | null>(null);
  const remove = useMutation({
    change: ({ name, used_by_count }: Secret) => deleteSecret(team, name, used_by_count > 0 ? { force: true } : {}),
    invalidates: [["secrets", team]],
    done: () => {
      setRemoving(null);
      toast({ kind: "ok", text: "The secret is deleted." });
    },
  });
  const add = administer && <Button icon="add" kind="primary" onClick={() => setAdding(true)}>New secret</Button>;
  const used = removing?.used_by_count ?? 0;
  return (
    <div class="tab-content">
      {secrets.items.length > 0 && <div class="tab-actions">{add}</div>}
      <PagedTable
        state={secrets} what="secrets" label="Secrets" rowKey={({ id }) => id}
        empty={
          <Empty title="No secrets" icon="lock" actions={add} snippets={[{ title: "The same by command", text: `spindle secret set ${team} CI_TOKEN --file ci-token.txt` }]}>
            <p>Tokens and signing keys for webhooks. They are stored encrypted and never shown again.</p>
          </Empty>
        }
        columns={[
          { key: "name", title: "Name", wide: true, cell: ({ name }) => <code><SafeText text={name} line /></code> },
          { key: "used", title: "Used by", cell: ({ used_by_count }) => (used_by_count > 0 ? plural(used_by_count, "webhook") : <span class="faint">nothing</span>) },
          { key: "version", title: "Version", number: true, cell: ({ version }) => version },
          { key: "changed", title: "Value from", cell: ({ updated_at }) => <Ago time={updated_at} now={now} /> },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => administer && (
              <span class="row-actions">
                <Button small icon="refresh" label={`Replace the value of ${row.name}`} kind="quiet" onClick={() => setRotating(row)} />
                <Button small kind="quiet" icon="trash" label={`Delete ${row.name}`} onClick={() => setRemoving(row)} />
              </span>
            ),
          },
        ]}
      />
      {adding && administer && <SecretDialog team={team} secret={null} onClose={() => setAdding(false, { replace: true })} />}
      {rotating && <SecretDialog team={team} secret={rotating} onClose={() => setRotating(null)} />}
      <ConfirmDialog
        open={removing !== null} title={`Delete the secret ${removing?.name ?? ""}?`} action="Delete" busy={remove.pending} error={remove.error?.message ?? null}
        {...(used > 0 && removing ? { typedName: removing.name } : {})} onClose={() => setRemoving(null)}
        onConfirm={() => { if (removing) void remove.run(removing).catch(() => undefined); }}
      >
        <p>{used > 0 ? `${plural(used, "webhook")} ${used === 1 ? "uses" : "use"} it: their deliveries fail from then on.` : "Nothing uses it."} The value cannot be brought back.</p>
      </ConfirmDialog>
    </div>
  );
}
