// One object: its versions beside the content or the differences of the chosen one.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { type ObjectVersion, deleteObject, listObjects, readOp } from "../../api/objects";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Hidden } from "../../app/not_found";
import { Loaded } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading, useProject } from "../../app/screen";
import { Segments } from "../../app/segments";
import { useShortcut } from "../../app/shortcuts";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ChatView } from "../../ui/content/chat_view";
import { JsonView } from "../../ui/content/json_view";
import { CopyButton } from "../../ui/copy_button";
import { ConfirmDialog } from "../../ui/dialog";
import { LazyDiff } from "../../ui/lazy";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { useUserNames } from "../shared_objects/people";
import { objectRef } from "../shared_objects/refs";
import { chatOf, messagesOf } from "../shared_values/chat";
import { type ObjectClass, textOfVersion } from "./classes";
import { Labels } from "./labels";

/** The code of an op; null for other objects. */
function useCode(project: string, version: ObjectVersion | undefined) {
  return useQuery({
    key: ["op code", project, version?.object_id, version?.digest],
    read: async (signal) => (await readOp(project, version?.object_id ?? "", version?.digest ?? "", {}, signal)).code,
    enabled: version?.kind === "op",
    staleTime: Infinity,
    keep: false,
  });
}

function Content({ project, version }: { project: string; version: ObjectVersion }) {
  const code = useCode(project, version);
  if (version.kind === "op") {
    return <Loaded state={code} what="code">{(text) => <pre class="object-code" tabIndex={0} aria-label="Code"><SafeText text={text} /></pre>}</Loaded>;
  }
  const messages = messagesOf(version.val);
  if (messages) return <ChatView messages={chatOf(messages)} label="Messages of the prompt" />;
  const text = textOfVersion(version);
  if (version.base_object_class === "Prompt" && !text.startsWith("{")) return <pre class="object-code object-prose" tabIndex={0} aria-label="Text"><SafeText text={text} /></pre>;
  return <JsonView text={JSON.stringify(version.val, null, 2)} label={version.object_id} />;
}

function Differences({ project, from, to }: { project: string; from: ObjectVersion; to: ObjectVersion }) {
  const before = useCode(project, from);
  const after = useCode(project, to);
  const textOf = (version: ObjectVersion, code: string | undefined) => (version.kind === "op" ? code ?? "" : textOfVersion(version));
  return <div class="objects-pad"><LazyDiff before={textOf(from, before.data)} after={textOf(to, after.data)} beforeLabel={`v${from.version_index}`} afterLabel={`v${to.version_index}`} /></div>;
}

function ObjectView({ kind, id, versions }: { kind: ObjectClass; id: string; versions: ObjectVersion[] }) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const nameOf = useUserNames(team);
  const [wanted, setWanted] = useUrlState("version", codecs.text());
  const [view, setView] = useUrlState("view", codecs.oneOf("content", "diff"));
  const [against, setAgainst] = useUrlState("against", codecs.text());
  const [deleting, setDeleting] = useState<"version" | "all" | null>(null);
  const index = Math.max(0, versions.findIndex(({ version_index }) => `v${version_index}` === wanted));
  const version = versions[index]!;
  const base = versions.find(({ version_index }) => `v${version_index}` === against) ?? versions[index + 1] ?? versions.find((other) => other !== version);
  const choose = (at: number) => {
    const next = versions[Math.max(0, Math.min(versions.length - 1, at))];
    if (next) setWanted(`v${next.version_index}`, { replace: true });
  };
  const remove = useMutation({
    change: () => deleteObject({ project_id: project, object_id: id, digests: deleting === "version" ? [version.digest] : null }),
    invalidates: [["objects", project]],
    done: ({ num_deleted }) => {
      toast({ kind: "ok", text: num_deleted === 1 ? "The version is deleted." : `${num_deleted} versions are deleted.` });
      setDeleting(null);
      setWanted("");
      if (num_deleted >= versions.length) navigate(paths.objects(project, kind.name));
    },
  });
  useShortcut({ keys: "j", label: "Older version", group: "Object" }, () => choose(index + 1));
  useShortcut({ keys: "k", label: "Newer version", group: "Object" }, () => choose(index - 1));
  useShortcut({ keys: "d", label: "Show differences", group: "Object" }, () => setView(view === "diff" ? "content" : "diff", { replace: true }), versions.length > 1);
  const ref = objectRef(project, id, version.digest, version.kind === "op" ? "op" : "object");
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles">
          <h1><SafeText text={id} line /></h1>
          <Badge>{version.leaf_object_class ?? version.kind}</Badge>
          <Labels version={version} versions={versions} write={write} />
        </div>
        <div class="fill-actions">
          {versions.length > 1 && <Segments label="View" value={view} options={[["content", "Content"], ["diff", "Differences"]]} onChange={(next) => setView(next)} />}
          <CopyButton kind="normal" text={ref} label="Copy the ref">Ref</CopyButton>
          {kind.name === "prompts" && <Button icon="flask" href={href(paths.playground(project), { prompt: ref })}>Playground</Button>}
          {write && (
            <Menu
              label="More" align="end"
              items={[
                ...(versions.length > 1 ? [{ text: `Delete v${version.version_index}`, icon: "trash" as const, danger: true, onSelect: () => setDeleting("version") }] : []),
                { text: "Delete all versions", icon: "trash", danger: true, onSelect: () => setDeleting("all") },
              ]}
            />
          )}
        </div>
      </div>
      <div class="fill-body object">
        <nav class="object-versions" aria-label="Versions">
          {versions.map((other) => (
            <a
              key={other.digest} class={other === version ? "object-version object-version-on" : "object-version"} aria-current={other === version ? "page" : undefined}
              href={href(paths.objects(project, kind.name, id), { version: `v${other.version_index}`, view: view === "diff" ? "diff" : undefined })}
            >
              <span class="object-version-head">
                <strong>v{other.version_index}</strong>
                {(other.aliases ?? []).map((alias) => <Badge key={alias} tone={alias === "latest" ? "neutral" : "accent"}><SafeText text={alias} line /></Badge>)}
              </span>
              <span class="faint">{formatTime(other.created_at, timeZone.value)}</span>
              {other.svc_user_id && <span class="faint truncate"><SafeText text={nameOf(other.svc_user_id)} line /></span>}
            </a>
          ))}
        </nav>
        <div class="object-content">
          {view === "diff" && base && base !== version ? (
            <>
              <div class="object-against">
                <span class="soft">v{version.version_index} against</span>
                <Menu small label="Compared with" items={versions.filter((other) => other !== version).map((other) => ({ text: `v${other.version_index}`, checked: other === base, onSelect: () => setAgainst(`v${other.version_index}`) }))}>v{base.version_index}</Menu>
              </div>
              <Differences project={project} from={base} to={version} />
            </>
          ) : <Content key={version.digest} project={project} version={version} />}
        </div>
      </div>
      <ConfirmDialog
        open={deleting !== null} onClose={() => setDeleting(null)} onConfirm={() => void remove.run().catch(() => undefined)} action="Delete"
        title={deleting === "version" ? `Delete ${id}:v${version.version_index}?` : `Delete ${id} with ${versions.length} versions?`} busy={remove.pending} error={remove.error?.message ?? null}
        {...(deleting === "all" ? { typedName: id } : {})}
      >
        <p>References to what is deleted can no longer be read. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}

export function ObjectDetail({ kind, id }: { kind: ObjectClass; id: string }) {
  const { id: project } = useProject();
  const versions = useQuery({
    key: ["objects", project, "versions", id, kind.name],
    read: async (signal) => {
      const { objs } = await listObjects(
        {
          project_id: project, filter: { object_ids: [id], ...(kind.name === "ops" ? { is_op: true } : { is_op: false }) }, include_tags_and_aliases: true,
          sort_by: [{ field: "created_at", direction: "desc" }], limit: 500,
        },
        signal,
      );
      return objs.sort((a, b) => b.is_latest - a.is_latest || b.version_index - a.version_index);
    },
  });
  useHeading(id, [{ label: kind.title, href: href(paths.objects(project, kind.name)) }, { label: id }]);
  return <Loaded state={versions} what={kind.one}>{(all) => (all.length === 0 ? <Hidden what={kind.one} /> : <ObjectView kind={kind} id={id} versions={all} />)}</Loaded>;
}
