// The members of a team: roles, adding, removing.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type Member, type Role, createServiceAccount, listMembers, removeMember, setMember } from "../../api/identity";
import { Section } from "../../app/page";
import { session } from "../../app/session";
import { toast, toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";
import { OnceDialog } from "../shared_people/once";
import { ROLE_HINTS, ROLE_OPTIONS, ROLE_TEXTS } from "../shared_people/roles";
import { InviteDialog } from "./invitations";

function AddDialog({ team, onClose }: { team: string; onClose: () => void }) {
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("MEMBER");
  const add = useMutation({
    change: () => setMember(team, username.trim(), { role }),
    invalidates: [["members", team]],
    done: () => {
      toast({ kind: "ok", text: `${username.trim()} is a member of ${team}.` });
      onClose();
    },
  });
  return (
    <FormDialog title="Add a person who has an account" action="Add" onClose={onClose} onSubmit={() => void add.run().catch(() => undefined)}
      valid={username.trim() !== ""} typed={username !== ""} state={add}>
      <Field label="User name" required><TextInput value={username} onInput={setUsername} /></Field>
      <Field label="Role" hint={ROLE_HINTS[role]}><Select value={role} options={ROLE_OPTIONS} onChange={setRole} /></Field>
    </FormDialog>
  );
}

function ServiceDialog({ team, onClose, onCreated }: { team: string; onClose: () => void; onCreated: (key: string) => void }) {
  const [description, setDescription] = useState("");
  const add = useMutation({
    change: () => createServiceAccount(team, { description: description.trim() }),
    invalidates: [["members", team]],
    done: ({ api_key }) => onCreated(api_key),
  });
  return (
    <FormDialog title="New service account" action="Create" onClose={onClose} onSubmit={() => void add.run().catch(() => undefined)}
      valid={description.trim() !== ""} typed={description !== ""} state={add} shown={["description"]}>
      <Field label="What it is for" required hint="A program with its own key, such as the nightly evaluation." error={add.error?.field("description") ?? null}>
        <TextInput value={description} maxLength={128} onInput={setDescription} placeholder="nightly evaluation" />
      </Field>
    </FormDialog>
  );
}

export function Members({ team, administer }: { team: string; administer: boolean }) {
  const members = usePages<Member>({ key: ["members", team], read: (cursor, signal) => listMembers(team, { cursor, limit: 100 }, signal) });
  const [layer, setLayer] = useState<"add" | "invite" | "service" | null>(null);
  const [key, setKey] = useState<string | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const close = () => setLayer(null);
  const change = useMutation({
    change: ({ user, role }: { user: string; role: Role }) => setMember(team, user, { role }),
    invalidates: [["members", team]],
    done: ({ user, role }) => toast({ kind: "ok", text: `${user.username} is now ${ROLE_TEXTS[role].toLowerCase()}.` }),
  });
  const remove = useMutation({
    change: ({ user }: Member) => removeMember(team, user.username),
    invalidates: [["members", team]],
    done: (_, { user }) => {
      setRemoving(null);
      toast({ kind: "ok", text: `${user.username} is no longer a member.` });
    },
  });
  return (
    <Section
      title="Members"
      actions={administer && (
        <>
          <Button icon="link" kind="primary" onClick={() => setLayer("invite")}>Invite by link</Button>
          <Menu label="Add" icon="add" align="end" items={[
            { text: "Add a person who has an account…", icon: "person", onSelect: () => setLayer("add") },
            { text: "New service account…", icon: "bot", onSelect: () => setLayer("service") },
          ]}>Add</Menu>
        </>
      )}
    >
      <PagedTable
        state={members} what="members" label="Members" rowKey={({ user }) => user.id} empty={<p class="soft">Nobody is a member.</p>}
        columns={[
          {
            key: "user", title: "User name",
            cell: ({ user }) => <span class="nowrap"><SafeText text={user.username} line />{user.username === session.value?.username && <span class="faint"> you</span>}</span>,
          },
          { key: "name", title: "Name", wide: true, cell: ({ user }) => (user.name ? <SafeText text={user.name} line /> : <span class="faint">–</span>) },
          // The server shows addresses to organization admins only.
          ...(session.value?.organization_admin
            ? [{ key: "email", title: "Email", cell: ({ user }: Member) => (user.email ? <SafeText text={user.email} line /> : <span class="faint">–</span>) }]
            : []),
          {
            key: "kind", title: "Kind",
            cell: ({ user, pending }) => (
              <span class="chips">
                {user.kind === "service" ? <Badge tone="agent">service account</Badge> : <span class="soft">person</span>}
                {user.organization_admin && <Badge tone="accent">administers the server</Badge>}
                {pending && <Badge tone="warning">invited</Badge>}
              </span>
            ),
          },
          {
            key: "role", title: "Role",
            cell: ({ user, role }) => administer ? (
              <span class="role-select">
                <Select label={`Role of ${user.username}`} value={role} options={ROLE_OPTIONS} disabled={change.pending}
                  onChange={(next) => void change.run({ user: user.username, role: next }).catch((error: unknown) => toastError("The role was not changed", error))} />
              </span>
            ) : ROLE_TEXTS[role],
          },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => administer && <span class="row-actions"><Button small kind="quiet" icon="trash" label={`Remove ${row.user.username}`} onClick={() => setRemoving(row)} /></span>,
          },
        ]}
      />
      {layer === "add" && <AddDialog team={team} onClose={close} />}
      {layer === "invite" && <InviteDialog team={team} onClose={close} />}
      {layer === "service" && <ServiceDialog team={team} onClose={close} onCreated={(value) => { close(); setKey(value); }} />}
      {key && <OnceDialog title="The key of the service account" text="Copy the key now. The server stores only a hash of it and cannot show it again." value={key} onClose={() => setKey(null)} />}
      <ConfirmDialog
        open={removing !== null} title={`Remove ${removing?.user.username ?? ""} from ${team}?`} action="Remove" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setRemoving(null)} onConfirm={() => { if (removing) void remove.run(removing).catch(() => undefined); }}
      >
        <p>They no longer see the projects of the team. What they recorded stays.</p>
      </ConfirmDialog>
    </Section>
  );
}
