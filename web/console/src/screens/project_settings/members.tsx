// Roles in a project: those of the team, and exceptions.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type ProjectMember, type Role, listProjectMembers, removeProjectMember, setProjectMember } from "../../api/identity";
import { href, paths } from "../../app/location";
import { toast, toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";
import { ROLE_HINTS, ROLE_OPTIONS, ROLE_TEXTS } from "../shared_people/roles";

function AddDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("MEMBER");
  const add = useMutation({
    change: () => setProjectMember(project, username.trim(), { role }),
    invalidates: [["project members", project]],
    done: onClose,
  });
  return (
    <FormDialog title="Give a role in this project" action="Give the role" onClose={onClose} onSubmit={() => void add.run().catch(() => undefined)}
      valid={username.trim() !== ""} typed={username !== ""} state={add}>
      <Field label="User name" required hint="A member of the team."><TextInput value={username} onInput={setUsername} /></Field>
      <Field label="Role" hint={ROLE_HINTS[role]}><Select value={role} options={ROLE_OPTIONS} onChange={setRole} /></Field>
    </FormDialog>
  );
}

export function ProjectMembers({ project, team, administer }: { project: string; team: string; administer: boolean }) {
  const members = usePages<ProjectMember>({ key: ["project members", project], read: (cursor, signal) => listProjectMembers(project, { cursor, limit: 100 }, signal) });
  const [adding, setAdding] = useState(false);
  const change = useMutation<{ username: string; role: Role | null }, unknown>({
    change: ({ username, role }) => (role ? setProjectMember(project, username, { role }) : removeProjectMember(project, username)),
    invalidates: [["project members", project]],
    done: () => toast({ kind: "ok", text: "The role is changed." }),
  });
  const run = (username: string, role: Role | null) => void change.run({ username, role }).catch((error: unknown) => toastError("The role was not changed", error));
  return (
    <div class="tab-content">
      <div class="tab-actions">
        <p class="soft grow">Members of <a href={href(paths.team(team))}><SafeText text={team} line /></a>. A role given here replaces the one in the team.</p>
        {administer && <Button icon="add" onClick={() => setAdding(true)}>Give a role</Button>}
      </div>
      <PagedTable
        state={members} what="members" label="Members of the project" rowKey={({ username }) => username} empty={<p class="soft">Nobody was added yet.</p>}
        columns={[
          { key: "user", title: "User name", wide: true, cell: ({ username }) => <SafeText text={username} line /> },
          { key: "team", title: "In the team", cell: ({ team_role }) => <span class="soft">{ROLE_TEXTS[team_role]}</span> },
          {
            key: "role", title: "In the project",
            cell: ({ username, role }) => administer
              ? <span class="role-select"><Select label={`Role of ${username}`} value={role} options={ROLE_OPTIONS} disabled={change.pending} onChange={(next) => run(username, next)} /></span>
              : ROLE_TEXTS[role],
          },
          { key: "own", title: "Exception", cell: ({ overridden }) => (overridden ? <Badge tone="info">own role</Badge> : <span class="faint">as in the team</span>) },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: ({ username, overridden }) => administer && overridden && (
              <Button small kind="quiet" icon="refresh" label={`Back to the role of the team for ${username}`} onClick={() => run(username, null)} />
            ),
          },
        ]}
      />
      {adding && <AddDialog project={project} onClose={() => setAdding(false)} />}
    </div>
  );
}
