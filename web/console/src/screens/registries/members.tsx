// The members of a registry and its protected aliases.

import { useState } from "preact/hooks";

import {
  type RegistryMember, listProtectedAliases, protectAlias, removeRegistryMember, setRegistryMember, unprotectAlias,
} from "../../api/artifacts";
import { useMutation, useQuery } from "../../api/cache";
import { Loaded, Section } from "../../app/page";
import { toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Table } from "../../ui/table";
import { FormDialog } from "../shared_parts/form_dialog";
import { NameChips } from "../shared_artifacts/name_chips";
import { useRegistryMembers } from "./rights";

type Role = RegistryMember["role"];

const ROLES: { value: Role; text: string }[] = [
  { value: "ADMIN", text: "Admin" }, { value: "MEMBER", text: "Member" }, { value: "VIEWER", text: "Viewer" }, { value: "RESTRICTED_VIEWER", text: "Viewer without files" },
];

function roleText(role: Role): string {
  return ROLES.find(({ value }) => value === role)?.text ?? role;
}

function AddDialog({ registry, onClose }: { registry: string; onClose: () => void }) {
  const [kind, setKind] = useState<RegistryMember["kind"]>("users");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("VIEWER");
  const add = useMutation({ change: () => setRegistryMember(registry, kind, name.trim(), { role }), invalidates: [["registry members", registry]], done: onClose });
  return (
    <FormDialog title="Add a member" action="Add" onClose={onClose} state={add} typed={name !== ""} valid={name.trim() !== ""} onSubmit={() => void add.run().catch(() => undefined)}>
      <Field label="Kind"><Select value={kind} onChange={setKind} options={[{ value: "users", text: "A person or service account" }, { value: "teams", text: "A team" }]} /></Field>
      <Field label={kind === "users" ? "Username" : "Team"} required><TextInput value={name} maxLength={128} onInput={setName} /></Field>
      <Field label="Role"><Select value={role} onChange={setRole} options={ROLES} /></Field>
    </FormDialog>
  );
}

export function Members({ registry, administer }: { registry: string; administer: boolean }) {
  const members = useRegistryMembers(registry);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<RegistryMember | null>(null);
  const change = useMutation({
    change: ({ kind, name, role }: Pick<RegistryMember, "kind" | "name" | "role">) => setRegistryMember(registry, kind, name, { role }),
    invalidates: [["registry members", registry]],
  });
  const remove = useMutation({
    change: ({ kind, name }: RegistryMember) => removeRegistryMember(registry, kind, name),
    invalidates: [["registry members", registry]],
    done: () => setRemoving(null),
  });
  return (
    <Section title="Members" lead="The highest role of a person and their teams counts." actions={administer && <Button icon="add" onClick={() => setAdding(true)}>Add a member</Button>}>
      <Loaded state={members} what="list of members" lines={3}>
        {(data) => (
          <div class="card">
            <Table
              label="Members" rows={data} rowKey={({ kind, name }) => `${kind} ${name}`} empty="Nobody was added: the default roles apply."
              columns={[
                { key: "name", title: "Name", wide: true, cell: ({ name }) => <SafeText text={name} line /> },
                { key: "kind", title: "Kind", cell: ({ kind }) => <Badge>{kind === "users" ? "person" : "team"}</Badge> },
                {
                  key: "role", title: "Role",
                  cell: (member) => administer
                    ? <Select label={`Role of ${member.name}`} value={member.role} options={ROLES} onChange={(role) => void change.run({ ...member, role }).catch((error: unknown) => toastError("The role was not changed", error))} />
                    : roleText(member.role),
                },
                ...(administer ? [{
                  key: "remove", title: "Remove", hideTitle: true,
                  cell: (member: RegistryMember) => <span class="row-actions"><Button small kind="quiet" icon="trash" label={`Remove ${member.name}`} onClick={() => setRemoving(member)} /></span>,
                }] : []),
              ]}
            />
          </div>
        )}
      </Loaded>
      {adding && <AddDialog registry={registry} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        open={removing !== null} title={`Remove ${removing?.name ?? ""} from the registry?`} action="Remove" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setRemoving(null)} onConfirm={() => void (removing && remove.run(removing).catch(() => undefined))}
      />
    </Section>
  );
}

export function ProtectedAliases({ registry, administer }: { registry: string; administer: boolean }) {
  const aliases = useQuery({ key: ["protected aliases", registry], read: (signal) => listProtectedAliases(registry, signal) });
  return (
    <Section title="Protected aliases" lead="Only admins of the registry may set and remove these.">
      <Loaded state={aliases} what="list of protected aliases" lines={1}>
        {({ items }) => (
          <div class="card card-pad">
            <NameChips
              noun="alias" names={items} tone="accent" write={administer} invalidates={[["protected aliases", registry]]}
              add={(alias) => protectAlias(registry, alias)} remove={(alias) => unprotectAlias(registry, alias)}
            />
          </div>
        )}
      </Loaded>
    </Section>
  );
}
