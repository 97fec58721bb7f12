// Settings of a team, and its end.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type Team, changeTeam, deleteTeam } from "../../api/identity";
import { navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Section } from "../../app/page";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { NumberInput, Select } from "../../ui/inputs";

export function Settings({ team, administer }: { team: Team; administer: boolean }) {
  const [days, setDays] = useState(team.default_artifact_ttl_days);
  const [who, setWho] = useState(team.ttl_permission);
  const [removing, setRemoving] = useState(false);
  const rights = useRights(team.name);
  const save = useMutation({
    change: () => changeTeam(team.name, { default_artifact_ttl_days: days, ttl_permission: who }),
    invalidates: [["team", team.name]],
    done: () => toast({ kind: "ok", text: "The settings are stored." }),
  });
  const remove = useMutation({
    change: () => deleteTeam(team.name, { force: true }),
    invalidates: [["projects"], ["me"], ["teams"]],
    done: () => {
      toast({ kind: "ok", text: `The team ${team.name} is deleted.` });
      navigate(paths.home(), { replace: true });
    },
  });
  return (
    <div class="tab-content team-settings">
      <Section title="Artifacts">
        <form
          class="card card-pad stack"
          onSubmit={(event) => {
            event.preventDefault();
            void save.run().catch(() => undefined);
          }}
        >
          <div class="pair">
            <Field label="Versions are kept for" hint="Empty: for ever. A version can have its own time." error={save.error?.field("default_artifact_ttl_days") ?? null}>
              <NumberInput value={days} min={1} step={1} unit="days" disabled={!administer} onInput={setDays} />
            </Field>
            <Field label="Who may set the time of a version">
              <Select value={who} disabled={!administer} onChange={setWho}
                options={[{ value: "admins", text: "Admins" }, { value: "admins_and_members", text: "Admins and members" }]} />
            </Field>
          </div>
          {save.error?.besides("default_artifact_ttl_days") && <p class="ui-field-error" role="alert">{save.error.message}</p>}
          {administer && <div><Button type="submit" busy={save.pending} disabled={days === team.default_artifact_ttl_days && who === team.ttl_permission}>Save</Button></div>}
        </form>
      </Section>
      {rights.organizationAdmin && (
        <Section title="Delete the team" lead="Deletes all its projects with their traces, runs, artifacts, webhooks and secrets.">
          <Button kind="danger" icon="trash" onClick={() => setRemoving(true)}>Delete {team.name}…</Button>
        </Section>
      )}
      <ConfirmDialog open={removing} title={`Delete the team ${team.name} with everything in it?`} action="Delete the team" typedName={team.name} busy={remove.pending}
        error={remove.error?.message ?? null} onClose={() => setRemoving(false)} onConfirm={() => void remove.run().catch(() => undefined)}>
        <p>Projects, traces, runs, artifacts, webhooks and secrets are deleted. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}
