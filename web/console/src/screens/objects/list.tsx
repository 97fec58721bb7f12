// The objects of a kind: their newest versions.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { listObjects } from "../../api/objects";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded } from "../../app/page";
import { useProject } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { formatRelative } from "../../format/time";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { CLASSES, type ObjectClass, noteOf } from "./classes";

const MOST = 500;

function NothingYet({ kind, project, write }: { kind: ObjectClass; project: string; write: boolean }) {
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  const value = kind.name === "prompts"
    ? `{"_type": "StringPrompt", "_class_name": "StringPrompt", "_bases": ["Prompt", "Object", "BaseModel"], "content": "Hello {name}!"}`
    : kind.name === "scorers"
      ? `{"_type": "BuiltInScorer", "_class_name": "BuiltInScorer", "_bases": ["Scorer", "Object", "BaseModel"], "kind": "contains"}`
      : `{"_type": "Model", "_class_name": "Model", "_bases": ["Object", "BaseModel"], "kind": "chat_completion", "model": "spindle-nano", "prompt": "{question}"}`;
  return (
    <Empty
      title={`No ${kind.one} yet`} icon="layers"
      actions={write && kind.name === "prompts" && <Button kind="primary" icon="flask" href={href(paths.playground(project))}>Write one in the playground</Button>}
      snippets={kind.name === "ops" || kind.name === "other" ? [] : [{ title: `Publish a ${kind.one} with curl`, text: `curl -u api:$KEY ${server}/obj/create -d '{"obj": {"project_id": "${project}", "object_id": "first",\n  "val": ${value}}}'` }]}
    >
      <p>{kind.name === "ops" ? "SDKs publish the code of traced functions here." : "Every change is a version. An alias such as production names the version that applications read."}</p>
    </Empty>
  );
}

export function ObjectList({ kind }: { kind: ObjectClass }) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [find, setFind] = useUrlState("find", codecs.text());
  const [now] = useState(Date.now);
  const objects = useQuery({
    key: ["objects", project, "class", kind.name],
    read: async (signal) =>
      (
        await listObjects(
          { project_id: project, filter: { ...kind.filter, latest_only: true }, include_tags_and_aliases: true, sort_by: [{ field: "created_at", direction: "desc" }], limit: MOST },
          signal,
        )
      ).objs,
    keep: false,
  });
  const wanted = find.toLowerCase().trim();
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles"><h1>Prompts & objects</h1><span class="soft">Versions of what your applications are made of.</span></div>
        <div class="fill-actions">
          {write && kind.name === "prompts" && <Button kind="primary" icon="add" href={href(paths.playground(project))}>New prompt</Button>}
        </div>
      </div>
      <div class="fill-body objects-tabs">
        <Tabs
          label="Kinds of objects" open={kind.name} onOpen={(name) => navigate(paths.objects(project, name))}
          tabs={CLASSES.map(({ name, title }) => ({ name, text: title, href: href(paths.objects(project, name)), ...(name === kind.name && objects.data ? { count: objects.data.length } : {}) }))}
        >
          <div class="objects-pad">
            <Loaded state={objects} what={`list of ${kind.title.toLowerCase()}`}>
              {(all) => {
                if (all.length === 0) return <NothingYet kind={kind} project={project} write={write} />;
                const shown = all.filter(({ object_id, tags, aliases }) => [object_id, ...(tags ?? []), ...(aliases ?? [])].some((text) => text.toLowerCase().includes(wanted)));
                return (
                  <>
                    {(all.length > 8 || find !== "") && (
                      <div class="objects-find"><TextInput type="search" icon="search" label="Find" placeholder="Name, alias or tag" value={find} onInput={(text) => setFind(text, { replace: true })} /></div>
                    )}
                    <Table
                      label={kind.title} rows={shown} rowKey={({ object_id }) => object_id} rowHref={({ object_id }) => href(paths.objects(project, kind.name, object_id))} empty="Nothing matches."
                      columns={[
                        {
                          key: "name", title: "Name", wide: true,
                          cell: (object) => <span class="object-name"><strong><SafeText text={object.object_id} line /></strong><span class="faint truncate"><SafeText text={noteOf(object)} line /></span></span>,
                        },
                        { key: "version", title: "Newest", number: true, cell: ({ version_index }) => `v${version_index}` },
                        {
                          key: "labels", title: "Labels",
                          cell: ({ aliases, tags }) => (
                            <span class="labels">
                              {(aliases ?? []).filter((alias) => alias !== "latest").map((alias) => <Badge key={alias} tone="accent"><SafeText text={alias} line /></Badge>)}
                              {(tags ?? []).map((tag) => <Badge key={tag}><SafeText text={tag} line /></Badge>)}
                            </span>
                          ),
                        },
                        { key: "changed", title: "Changed", cell: ({ created_at }) => <span class="nowrap soft">{formatRelative(created_at, now)}</span> },
                      ]}
                    />
                    {all.length === MOST && <p class="faint">The newest {MOST} are listed.</p>}
                  </>
                );
              }}
            </Loaded>
          </div>
        </Tabs>
      </div>
    </div>
  );
}
