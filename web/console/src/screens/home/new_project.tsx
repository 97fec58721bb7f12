// The dialog that adds a project.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type Me, type NewProject, createProject } from "../../api/identity";
import { roleIn } from "../../app/me";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";

type Visibility = NonNullable<NewProject["visibility"]>;

const VISIBILITIES: { value: Visibility; text: string }[] = [
  { value: "TEAM", text: "Members of the team" },
  { value: "RESTRICTED", text: "Only members who are added" },
  { value: "PUBLIC", text: "Everyone with an account can read" },
  { value: "OPEN", text: "Everyone with an account can read and log" },
];

/** The teams in which a person may add projects. */
export function writableTeams(me: Me): string[] {
  const mine = me.memberships.filter(({ team }) => ["ADMIN", "MEMBER"].includes(roleIn(me, team) ?? ""));
  return mine.map(({ team }) => team);
}

export interface NewProjectDialogProps {
  teams: readonly string[];
  onClose: () => void;
  /** Gets `team/project`. */
  onCreated: (project: string) => void;
}

export function NewProjectDialog({ teams, onClose, onCreated }: NewProjectDialogProps) {
  const [team, setTeam] = useState(teams[0] ?? "");
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [visibility, setVisibility] = useState<Visibility>("TEAM");
  const create = useMutation({
    change: () => createProject({ team, name: name.trim(), visibility, description: description.trim() }),
    invalidates: [["projects"]],
    done: (project) => onCreated(`${project.team}/${project.name}`),
  });
  const { error } = create;
  return (
    <Dialog
      open
      onClose={onClose}
      title="New project"
      size="small"
      keepOpen={name !== "" || description !== ""}
      onSubmit={() => {
        if (name.trim() !== "") void create.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={name.trim() === ""} busy={create.pending}>Add the project</Button>
        </>
      }
    >
      <div class="stack">
        <Field label="Team">
          <Select value={team} onChange={setTeam} options={teams.map((value) => ({ value, text: value }))} />
        </Field>
        <Field label="Name" required error={error?.field("name") ?? null}>
          <TextInput value={name} onInput={setName} placeholder="support-bot" maxLength={128} />
        </Field>
        <Field label="Who can see it">
          <Select value={visibility} onChange={setVisibility} options={VISIBILITIES} />
        </Field>
        <Field label="Description" error={error?.field("description") ?? null}>
          <TextInput value={description} onInput={setDescription} />
        </Field>
        {error?.besides("name", "description") && <p class="ui-field-error" role="alert">{error.message}</p>}
      </div>
    </Dialog>
  );
}
