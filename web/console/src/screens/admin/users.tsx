// All people and service accounts of the server.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { listUsers } from "../../api/identity";
import { changeUser, deleteUser } from "../../api/people";
import type { User } from "../../api/schema";
import { timeZone } from "../../app/preferences";
import { session } from "../../app/session";
import { toast, toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDay } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { TextInput } from "../../ui/inputs";
import { Menu, type MenuItem } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status } from "../../ui/status";
import { PagedTable } from "../shared_parts/paged_table";
import { EditUserDialog, NewUserDialog, PasswordDialog, SessionsDialog } from "./user_dialogs";

type Layer = { kind: "edit" | "password" | "sessions" | "delete" | "suspend"; user: User } | { kind: "new" } | null;

export function Users() {
  const [find, setFind] = useUrlState("find", codecs.text());
  const users = usePages<User>({
    key: ["users", find.trim()],
    read: (cursor, signal) => listUsers({ cursor, limit: 100, ...(find.trim() === "" ? {} : { query: find.trim() }) }, signal),
  });
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  const suspend = useMutation({
    change: ({ username, suspended }: User) => changeUser(username, { suspended: !suspended }),
    invalidates: [["users"]],
    done: (_, { username, suspended }) => {
      close();
      toast({ kind: "ok", text: suspended ? `${username} may sign in again.` : `${username} is suspended. Their keys and sessions are refused.` });
    },
  });
  const remove = useMutation({
    change: ({ username }: User) => deleteUser(username),
    invalidates: [["users"]],
    done: (_, { username }) => {
      close();
      toast({ kind: "ok", text: `${username} is deleted.` });
    },
  });
  const items = (user: User): MenuItem[] => {
    const self = user.username === session.value?.username;
    const person = user.kind === "user";
    return [
      { text: "Change…", icon: "edit", onSelect: () => setLayer({ kind: "edit", user }) },
      ...(person ? [{ text: "Sessions…", icon: "list" as const, onSelect: () => setLayer({ kind: "sessions", user }) }] : []),
      ...(person && !self ? [{ text: "New password…", icon: "key" as const, onSelect: () => setLayer({ kind: "password", user }) }] : []),
      ...(self ? [] : [
        { kind: "line" as const },
        user.suspended
          ? { text: "Resume", icon: "play" as const, onSelect: () => void suspend.run(user).catch((error: unknown) => toastError("The person was not resumed", error)) }
          : { text: "Suspend…", icon: "pause" as const, onSelect: () => setLayer({ kind: "suspend", user }) },
        { text: "Delete…", icon: "trash" as const, danger: true, onSelect: () => setLayer({ kind: "delete", user }) },
      ]),
    ];
  };
  return (
    <div class="tab-content">
      <div class="tab-actions">
        <TextInput type="search" icon="search" label="Find a person" placeholder="Find a person" value={find} onInput={(text) => setFind(text, { replace: true })} />
        <Button icon="add" kind="primary" onClick={() => setLayer({ kind: "new" })}>New person</Button>
      </div>
      <PagedTable
        state={users} what="people" label="People" rowKey={({ id }) => id} empty={<p class="soft">Nobody matches.</p>}
        columns={[
          { key: "user", title: "User name", cell: ({ username }) => <SafeText text={username} line /> },
          { key: "name", title: "Name", wide: true, cell: ({ name }) => (name ? <SafeText text={name} line /> : <span class="faint">–</span>) },
          { key: "email", title: "Email", cell: ({ email }) => (email ? <SafeText text={email} line /> : <span class="faint">–</span>) },
          {
            key: "kind", title: "Kind",
            cell: ({ kind, organization_admin }) => (
              <span class="chips">
                {kind === "service" ? <Badge tone="agent">service account</Badge> : <span class="soft">person</span>}
                {organization_admin && <Badge tone="accent">administers the server</Badge>}
              </span>
            ),
          },
          { key: "state", title: "State", cell: ({ suspended }) => (suspended ? <Status state="disabled" tone="error" word="suspended" /> : <Status state="active" />) },
          { key: "since", title: "Since", cell: ({ created_at }) => <span class="nowrap">{formatDay(created_at, timeZone.value)}</span> },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => <span class="row-actions"><Menu small kind="quiet" icon="dots" align="end" label={`Actions on ${row.username}`} items={items(row)} /></span>,
          },
        ]}
      />
      {layer?.kind === "new" && <NewUserDialog onClose={close} />}
      {layer?.kind === "edit" && <EditUserDialog user={layer.user} onClose={close} />}
      {layer?.kind === "password" && <PasswordDialog user={layer.user} onClose={close} />}
      {layer?.kind === "sessions" && <SessionsDialog user={layer.user} onClose={close} />}
      <ConfirmDialog open={layer?.kind === "suspend"} title={`Suspend ${layer?.kind === "suspend" ? layer.user.username : ""}?`} action="Suspend" busy={suspend.pending}
        error={suspend.error?.message ?? null} onClose={close} onConfirm={() => { if (layer?.kind === "suspend") void suspend.run(layer.user).catch(() => undefined); }}>
        <p>All keys and sessions are refused with the next request, until the person is resumed. The data stays.</p>
      </ConfirmDialog>
      <ConfirmDialog open={layer?.kind === "delete"} title={`Delete ${layer?.kind === "delete" ? layer.user.username : ""}?`} action="Delete" busy={remove.pending}
        {...(layer?.kind === "delete" ? { typedName: layer.user.username } : {})}
        error={remove.error?.message ?? null} onClose={close} onConfirm={() => { if (layer?.kind === "delete") void remove.run(layer.user).catch(() => undefined); }}>
        <p>The account, its keys, sessions and memberships are deleted. What the person recorded stays. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}
