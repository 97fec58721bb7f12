// Visibility, recording, retention, size and end of a project.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import {
  type Project, changeProject, deleteProject, getCompletionTracing, readProjectSizes, readRetention, setCompletionTracing, setRetention,
} from "../../api/identity";
import { navigate, paths } from "../../app/location";
import { Loaded, Section } from "../../app/page";
import { toast, toastError } from "../../app/toasts";
import { formatBytes } from "../../format/bytes";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { NumberInput, Select, Switch, TextInput } from "../../ui/inputs";
import { Figures } from "../shared_parts/figures";

const VISIBILITIES: { value: Project["visibility"]; text: string }[] = [
  { value: "TEAM", text: "Members of the team" },
  { value: "RESTRICTED", text: "Only members who are added" },
  { value: "PUBLIC", text: "Everyone with an account can read" },
  { value: "OPEN", text: "Everyone with an account can read and log" },
];

interface PartProps {
  project: string;
  administer: boolean;
}

function About({ data, administer }: { data: Project; administer: boolean }) {
  const id = `${data.team}/${data.name}`;
  const [description, setDescription] = useState(data.description);
  const [visibility, setVisibility] = useState(data.visibility);
  const save = useMutation({
    change: () => changeProject(id, { description, visibility }),
    invalidates: [["project", id], ["projects"]],
    done: () => toast({ kind: "ok", text: "The settings are stored." }),
  });
  return (
    <Section title="About">
      <form
        class="card card-pad stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run().catch(() => undefined);
        }}
      >
        <Field label="Description" error={save.error?.field("description") ?? null}><TextInput value={description} disabled={!administer} onInput={setDescription} /></Field>
        <Field label="Who can see it"><Select value={visibility} options={VISIBILITIES} disabled={!administer} onChange={setVisibility} /></Field>
        {save.error?.besides("description") && <p class="ui-field-error" role="alert">{save.error.message}</p>}
        {administer && <div><Button type="submit" busy={save.pending} disabled={description === data.description && visibility === data.visibility}>Save</Button></div>}
      </form>
    </Section>
  );
}

function Recording({ project, administer }: PartProps) {
  const tracing = useQuery({ key: ["completion tracing", project], read: (signal) => getCompletionTracing(project, signal) });
  const change = useMutation({
    change: (enabled: boolean) => setCompletionTracing(project, { enabled }),
    invalidates: [["completion tracing", project]],
    done: ({ enabled }) => toast({ kind: "ok", text: enabled ? "Completions are recorded from now on." : "Completions are no longer recorded." }),
  });
  return (
    <Section title="Completion tracing" lead="Records every completion that counts for this project as a call: messages, answer, tokens, cost.">
      <Loaded state={tracing} what="setting" lines={1}>
        {({ enabled }) => (
          <div class="card card-pad setting-row">
            <span>Record completions of this project</span>
            <Switch label="Record completions of this project" checked={enabled} disabled={!administer || change.pending}
              onChange={(next) => void change.run(next).catch((error: unknown) => toastError("The setting was not changed", error))} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function RetentionForm({ project, administer, stored }: PartProps & { stored: number | null }) {
  const [days, setDays] = useState(stored);
  const [asking, setAsking] = useState(false);
  const save = useMutation({
    change: () => setRetention({ project_id: project, retention_days: days }),
    invalidates: [["retention", project]],
    done: () => {
      setAsking(false);
      toast({ kind: "ok", text: days === null ? "Calls are kept for ever." : `Calls are kept for ${days} days.` });
    },
  });
  const shorter = days !== null && (stored === null || days < stored);
  return (
    <form
      class="card card-pad retention"
      onSubmit={(event) => {
        event.preventDefault();
        if (shorter) setAsking(true);
        else void save.run().catch(() => undefined);
      }}
    >
      <Field label="Calls are kept for" hint="Empty: for ever." error={(days !== null && days < 1 ? "At least 1 day." : null) ?? (asking ? null : (save.error?.message ?? null))}>
        <NumberInput value={days} min={1} step={1} unit="days" placeholder="for ever" disabled={!administer} onInput={setDays} />
      </Field>
      {administer && <Button type="submit" busy={save.pending} disabled={days === stored || (days !== null && days < 1)}>Save</Button>}
      <ConfirmDialog open={asking} title={`Delete calls that are older than ${days} days?`} action="Shorten" busy={save.pending} error={save.error?.message ?? null}
        onClose={() => setAsking(false)} onConfirm={() => void save.run().catch(() => undefined)}>
        <p>Calls of {project} that are older than {days} days are deleted, now and from then on every day. This cannot be undone.</p>
      </ConfirmDialog>
    </form>
  );
}

function Retention(props: PartProps) {
  const retention = useQuery({ key: ["retention", props.project], read: (signal) => readRetention({ project_id: props.project }, signal) });
  return (
    <Section title="Retention">
      <Loaded state={retention} what="retention" lines={1}>
        {({ retention_days }) => <RetentionForm key={String(retention_days)} {...props} stored={retention_days} />}
      </Loaded>
    </Section>
  );
}

function Sizes({ project }: { project: string }) {
  const sizes = useQuery({
    key: ["project sizes", project],
    read: (signal) => readProjectSizes({
      project_id: project, include_trace_storage_size: true, include_object_storage_size: true, include_table_storage_size: true, include_file_storage_size: true,
    }, signal),
    staleTime: 60_000,
  });
  return (
    <Section title="Storage">
      <Loaded state={sizes} what="size" lines={2}>
        {(data) => (
          <Figures label="Storage" items={[
            { name: "Traces", value: formatBytes(data.trace_storage_size_bytes) },
            { name: "Objects", value: formatBytes(data.objects_storage_size_bytes) },
            { name: "Tables", value: formatBytes(data.tables_storage_size_bytes) },
            { name: "Files", value: formatBytes(data.files_storage_size_bytes) },
          ]} />
        )}
      </Loaded>
    </Section>
  );
}

export function General({ data, project, administer }: PartProps & { data: Project }) {
  const [removing, setRemoving] = useState(false);
  const remove = useMutation({
    change: () => deleteProject(project),
    invalidates: [["projects"]],
    done: () => {
      toast({ kind: "ok", text: `The project ${project} is deleted.` });
      navigate(paths.home(), { replace: true });
    },
  });
  return (
    <div class="tab-content general">
      <About key={data.updated_at} data={data} administer={administer} />
      <Recording project={project} administer={administer} />
      <Retention project={project} administer={administer} />
      <Sizes project={project} />
      {administer && (
        <Section title="Delete the project" lead="Deletes its traces, runs, artifacts, datasets and evaluations.">
          <Button kind="danger" icon="trash" onClick={() => setRemoving(true)}>Delete {project}…</Button>
        </Section>
      )}
      <ConfirmDialog open={removing} title={`Delete ${project} with everything in it?`} action="Delete the project" typedName={project} busy={remove.pending}
        error={remove.error?.message ?? null} onClose={() => setRemoving(false)} onConfirm={() => void remove.run().catch(() => undefined)}>
        <p>Traces, runs, artifacts, datasets and evaluations are deleted. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}
