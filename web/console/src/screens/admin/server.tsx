// What the server is: version, address, teams, engines.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { createTeam, getVersion, listTeams } from "../../api/identity";
import { listEngines } from "../../api/inference";
import { allPages } from "../../api/paging";
import { href, navigate, paths } from "../../app/location";
import { useMe, useProjects } from "../../app/me";
import { Loaded, Section } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { formatBytes } from "../../format/bytes";
import { formatCount } from "../../format/numbers";
import { formatDay } from "../../format/time";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy_button";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Definitions, Table } from "../../ui/table";
import { FormDialog } from "../shared_parts/form_dialog";

function NewTeamDialog({ onClose }: { onClose: () => void }) {
  const { data: me } = useMe();
  const [name, setName] = useState("");
  const [admin, setAdmin] = useState(me?.username ?? "");
  const add = useMutation({
    change: () => createTeam({ name: name.trim(), ...(admin.trim() === "" ? {} : { admin_username: admin.trim() }) }),
    invalidates: [["teams"], ["me"]],
    done: (team) => navigate(paths.team(team.name)),
  });
  return (
    <FormDialog title="New team" action="Add the team" onClose={onClose} onSubmit={() => void add.run().catch(() => undefined)} valid={/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name.trim())}
      typed={name !== ""} state={add} shown={["name", "admin_username"]}>
      <Field label="Name" required hint="Lower-case letters, digits, _ and -. It is part of every address." error={add.error?.field("name") ?? null}>
        <TextInput mono value={name} maxLength={64} onInput={setName} placeholder="research" />
      </Field>
      <Field label="First admin" hint="A user name." error={add.error?.field("admin_username") ?? null}><TextInput value={admin} onInput={setAdmin} /></Field>
    </FormDialog>
  );
}

export function Server() {
  const version = useQuery({ key: ["version"], read: (signal) => getVersion(signal), staleTime: 600_000 });
  const teams = useQuery({ key: ["teams", "all"], read: (signal) => allPages((cursor) => listTeams({ cursor, limit: 200 }, signal)) });
  const engines = useQuery({ key: ["engines"], read: (signal) => listEngines(signal) });
  const projects = useProjects();
  const [adding, setAdding] = useState(false);
  const base = new URL("..", document.baseURI).href;
  const address = (text: string) => <span class="address"><code class="wrap">{text}</code><CopyButton text={text} label={`Copy ${text}`} /></span>;
  const memory = engines.data?.items.reduce((sum, { memory_bytes, pid }) => sum + (pid === null ? 0 : memory_bytes), 0) ?? 0;
  return (
    <div class="tab-content">
      <Section title="This server">
        <Loaded state={version} what="version" lines={4}>
          {(data) => (
            <div class="card card-pad">
              <Definitions
                items={[
                  ["Version", `${data.name} ${data.version}`],
                  ["Address", address(base)],
                  ["OpenAI-compatible API", address(`${base}v1`)],
                  ["OTLP over HTTP", address(`${base}v1/traces`)],
                  ["API reference", <a href={`${base}docs`}>{base}docs</a>],
                  ["Engines", `${formatCount(engines.data?.items.filter(({ pid }) => pid !== null).length ?? 0)} loaded, ${formatBytes(memory)}`],
                ]}
              />
            </div>
          )}
        </Loaded>
      </Section>
      <Section title="Teams" actions={<Button icon="add" onClick={() => setAdding(true)}>New team</Button>}>
        <Loaded state={teams} what="list of teams">
          {(data) => (
            <div class="card">
              <Table
                label="Teams" rows={data} rowKey={({ id }) => id} rowHref={({ name }) => href(paths.team(name))} empty="No team yet."
                columns={[
                  { key: "name", title: "Name", wide: true, cell: ({ name }) => <SafeText text={name} line /> },
                  { key: "projects", title: "Projects", number: true, cell: ({ name }) => formatCount(projects.data?.filter(({ team }) => team === name).length) },
                  { key: "since", title: "Since", cell: ({ created_at }) => <span class="nowrap">{formatDay(created_at, timeZone.value)}</span> },
                ]}
              />
            </div>
          )}
        </Loaded>
      </Section>
      {adding && <NewTeamDialog onClose={() => setAdding(false)} />}
    </div>
  );
}
