// The home page: projects with their last 24 hours, running jobs, failing webhooks; or the way to a first trace.

import { useRef, useState } from "preact/hooks";

import type { Me, Project } from "../../api/identity";
import { href, navigateTo, paths } from "../../app/location";
import { useMe, useProjects } from "../../app/me";
import { Loaded, Page, Section } from "../../app/page";
import { setNavigationProject } from "../../app/place";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatShort } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { FailingWebhooks, RunningJobs } from "./attention";
import { FirstTrace } from "./first_trace";
import { NewProjectDialog, writableTeams } from "./new_project";
import { ActivityBars, useActivity } from "./project_strip";

const SHOWN = 20;
/** The time between looks for a first project. */
const WAIT_MS = 2000;
const PROJECT_NAME = /^[a-z0-9][a-z0-9_-]{0,63}\/[^/\\#?%:\r\n]{1,128}$/;

function ProjectRow({ project }: { project: Project }) {
  const id = `${project.team}/${project.name}`;
  const activity = useActivity(id);
  const { data } = activity;
  return (
    <li>
      <a class="project" href={href(paths.traces(id))}>
        <span class="project-name">
          <span class="project-title"><span class="faint"><SafeText text={project.team} line /> / </span><SafeText text={project.name} line /></span>
          {project.description && <span class="project-about"><SafeText text={project.description} line /></span>}
        </span>
        <span class="project-strip">{data && <ActivityBars activity={data} />}</span>
        <Figure label="traces" value={data ? formatShort(data.calls) : activity.error ? "–" : ""} />
        <Figure label="errors" value={data ? formatShort(data.errors) : ""} bad={(data?.errors ?? 0) > 0} />
        <Figure label="p95" value={data ? formatDuration(data.p95) : ""} />
      </a>
    </li>
  );
}

function Figure({ label, value, bad = false }: { label: string; value: string; bad?: boolean }) {
  return (
    <span class="figure">
      <span class={bad ? "figure-value figure-bad" : "figure-value"}>{value}</span>
      <span class="figure-label">{label}</span>
    </span>
  );
}

function ProjectList({ projects }: { projects: readonly Project[] }) {
  const [typed, setTyped] = useUrlState("find", codecs.text());
  const [all, setAll] = useState(false);
  const wanted = typed.toLowerCase().trim();
  const found = projects.filter(({ team, name }) => `${team}/${name}`.toLowerCase().includes(wanted));
  const shown = all ? found : found.slice(0, SHOWN);
  return (
    <>
      {projects.length > 8 && (
        <div class="home-find">
          <TextInput type="search" icon="search" label="Find a project" placeholder="Find a project" value={typed}
            onInput={(text) => setTyped(text, { replace: true })} />
        </div>
      )}
      <ul class="card rows">
        {shown.map((project) => <ProjectRow key={project.id} project={project} />)}
        {found.length === 0 && <li class="home-none">No project matches.</li>}
      </ul>
      {shown.length < found.length && (
        <div class="home-more"><Button kind="quiet" onClick={() => setAll(true)}>Show all {found.length} projects</Button></div>
      )}
    </>
  );
}

/** For a new server: any project name will do, the first write creates it. Shows projects that another program creates, too. */
function Welcome({ me, projects }: { me: Me; projects: readonly Project[] }) {
  const [name, setName] = useState(`${me.default_team ?? me.username}/first-steps`);
  const valid = PROJECT_NAME.test(name);
  return (
    <Page title="Send your first trace" width="narrow"
      lead="A trace is one run of your application: its steps, model requests and tools. Copy one of these, run it, and it appears here.">
      <div class="stack">
        {projects.map((project) => `${project.team}/${project.name}`).filter((id) => id !== name).slice(0, 3).map((id) => (
          <div key={id} class="first-wait" role="status">
            <span class="first-done"><Icon name="check" /></span>
            <span><strong>There is a project now:</strong> <SafeText text={id} line /></span>
            <Button kind="primary" href={href(paths.traces(id))}>Open its traces</Button>
          </div>
        ))}
        <Field label="Project" hint="As team/project. It is created by the first trace."
          error={valid ? null : "Write team/project, such as acme/support."}>
          <TextInput value={name} onInput={setName} mono />
        </Field>
        {valid && <FirstTrace key={name} project={name} />}
      </div>
    </Page>
  );
}

export default function Home() {
  const me = useMe();
  const projects = useProjects(WAIT_MS);
  const welcome = useRef(false);
  welcome.current ||= projects.data?.length === 0;
  const [adding, setAdding] = useState(false);
  const [now] = useState(Date.now);
  const [fresh, setFresh] = useUrlState("new", codecs.text());
  const teams = me.data ? writableTeams(me.data) : [];
  if (me.data && projects.data && welcome.current) return <Welcome me={me.data} projects={projects.data} />;
  return (
    <Page
      title="Projects"
      lead="Traces of the last 24 hours"
      actions={teams.length > 0 && <Button icon="add" onClick={() => setAdding(true)}>New project</Button>}
    >
      {fresh && (
        <Section title={`Send a first trace to ${fresh}`} actions={<Button kind="quiet" icon="close" label="Close" onClick={() => setFresh("")} />}>
          <FirstTrace key={fresh} project={fresh} />
        </Section>
      )}
      <div class="section">
        <Loaded state={projects} what="list of projects">{(data) => <ProjectList projects={data} />}</Loaded>
      </div>
      <div class="home-notes">
        <RunningJobs projects={projects.data ?? []} />
        <FailingWebhooks teams={me.data?.memberships.map(({ team }) => team) ?? []} now={now} />
      </div>
      {adding && (
        <NewProjectDialog
          teams={teams}
          onClose={() => setAdding(false)}
          onCreated={(project) => {
            setAdding(false);
            setNavigationProject(project);
            navigateTo(href(paths.home(), { new: project }));
          }}
        />
      )}
    </Page>
  );
}
