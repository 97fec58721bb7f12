// Dialogs on a person: adding, changing, a new password, sessions.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { createUser } from "../../api/identity";
import { changeUser } from "../../api/people";
import type { User } from "../../api/schema";
import { type ListedSession, listSessions, revokeSession, setPassword } from "../../api/sessions";
import { toast, toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { Checkbox, SecretInput, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { browserName } from "../me/browser_name";
import { Ago, useNow } from "../shared_parts/ago";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";

const SHORTEST = 12;

interface DialogProps {
  onClose: () => void;
}

export function NewUserDialog({ onClose }: DialogProps) {
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const add = useMutation({
    change: () => createUser({ username: username.trim(), email: email.trim(), ...(name.trim() === "" ? {} : { name: name.trim() }) }),
    invalidates: [["users"]],
    done: () => {
      toast({ kind: "ok", text: `${username.trim()} has an account. Set a password, or send: spindle login-link --user ${username.trim()}` });
      onClose();
    },
  });
  const error = (path: string) => add.error?.field(path) ?? null;
  return (
    <FormDialog title="New person" action="Add" onClose={onClose} onSubmit={() => void add.run().catch(() => undefined)}
      valid={username.trim() !== "" && email.trim() !== ""} typed={username !== "" || email !== ""} state={add} shown={["username", "email", "name"]}>
      <Field label="User name" required error={error("username")}><TextInput value={username} maxLength={64} onInput={setUsername} /></Field>
      <Field label="Email" required error={error("email")}><TextInput type="email" value={email} onInput={setEmail} /></Field>
      <Field label="Full name" error={error("name")}><TextInput value={name} onInput={setName} /></Field>
      <p class="ui-hint">An invitation by link to a team is often easier: the person chooses the name and password.</p>
    </FormDialog>
  );
}

export function EditUserDialog({ user, onClose }: DialogProps & { user: User }) {
  const [email, setEmail] = useState(user.email ?? "");
  const [name, setName] = useState(user.name ?? "");
  const [admin, setAdmin] = useState(user.organization_admin);
  const save = useMutation({
    change: () => changeUser(user.username, {
      ...(name === (user.name ?? "") ? {} : { name: name.trim() }),
      ...(email === (user.email ?? "") ? {} : { email: email.trim() === "" ? null : email.trim() }),
      ...(admin === user.organization_admin ? {} : { organization_admin: admin }),
    }),
    invalidates: [["users"]],
    done: () => {
      toast({ kind: "ok", text: `${user.username} is changed.` });
      onClose();
    },
  });
  return (
    <FormDialog title={`Change ${user.username}`} action="Save" onClose={onClose} onSubmit={() => void save.run().catch(() => undefined)} valid state={save} shown={["name", "email"]}>
      <Field label="Full name" error={save.error?.field("name") ?? null}><TextInput value={name} onInput={setName} /></Field>
      {user.kind === "user" && <Field label="Email" error={save.error?.field("email") ?? null}><TextInput type="email" value={email} onInput={setEmail} /></Field>}
      {user.kind === "user" && <Checkbox checked={admin} onChange={setAdmin} hint="Sees and changes everything on this server.">Administers this server</Checkbox>}
    </FormDialog>
  );
}

export function PasswordDialog({ user, onClose }: DialogProps & { user: User }) {
  const [password, setNext] = useState("");
  const save = useMutation({
    change: () => setPassword(user.username, password),
    done: () => {
      toast({ kind: "ok", text: `${user.username} has a new password. Their sessions have ended.` });
      onClose();
    },
  });
  return (
    <FormDialog title={`New password for ${user.username}`} action="Set the password" onClose={onClose} onSubmit={() => void save.run().catch(() => undefined)}
      valid={password.length >= SHORTEST} typed={password !== ""} state={save} shown={["new_password"]}>
      <Field label="New password" required hint={`${SHORTEST} characters or more. All sessions of the person end.`} error={save.error?.field("new_password") ?? null}>
        <SecretInput value={password} onInput={setNext} />
      </Field>
    </FormDialog>
  );
}

export function SessionsDialog({ user, onClose }: DialogProps & { user: User }) {
  const sessions = usePages<ListedSession>({ key: ["sessions", user.username], read: (cursor, signal) => listSessions({ username: user.username, cursor, limit: 50 }, signal) });
  const now = useNow();
  const end = useMutation({ change: ({ id }: ListedSession) => revokeSession(id), invalidates: [["sessions", user.username]], done: () => toast({ kind: "ok", text: "The session has ended." }) });
  return (
    <Dialog open onClose={onClose} title={`Sessions of ${user.username}`} size="large" actions={<Button kind="primary" onClick={onClose}>Close</Button>}>
      <PagedTable
        state={sessions} what="sessions" label="Sessions" rowKey={({ id }) => id} empty={<p class="soft">Not signed in anywhere.</p>}
        columns={[
          { key: "client", title: "Browser", wide: true, cell: ({ client }) => <SafeText text={browserName(client)} line /> },
          { key: "address", title: "From", cell: ({ address }) => <SafeText text={address} line /> },
          { key: "used", title: "Last used", cell: ({ last_used_at }) => <Ago time={last_used_at} now={now} /> },
          { key: "created", title: "Signed in", cell: ({ created_at }) => <Ago time={created_at} now={now} /> },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => <Button small busy={end.pending} onClick={() => void end.run(row).catch((error: unknown) => toastError("The session was not ended", error))}>End</Button>,
          },
        ]}
      />
    </Dialog>
  );
}
