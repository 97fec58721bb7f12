// One version: files, metadata, aliases, tags, uses; link, download, delete.

import { useState } from "preact/hooks";

import {
  type ArtifactVersion, deleteVersion, getVersion, removeVersionAlias, setVersionAlias, tagVersion, unlinkVersion, untagVersion,
} from "../../api/artifacts";
import { useMutation, useQuery } from "../../api/cache";
import { href, navigate, paths } from "../../app/location";
import { Loaded, Page } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading } from "../../app/screen";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatBytes } from "../../format/bytes";
import { plural } from "../../format/numbers";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Snippet } from "../../ui/feedback";
import { JsonView } from "../../ui/content/json_view";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status } from "../../ui/status";
import { Definitions } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Ago, useNow } from "../shared_parts/ago";
import { artifactHref } from "../shared_training/artifact_path";
import { Files } from "./files";
import { LinkDialog } from "./link_dialog";
import { NameChips } from "./name_chips";
import { type Place, inRegistry, placeHref, versionName } from "./place";
import { UsedBy } from "./used_by";

function About({ place, version, changed }: { place: Place; version: ArtifactVersion; changed: readonly (readonly unknown[])[] }) {
  const { collection } = version;
  const name = versionName(version);
  const project = "project" in place.home ? place.home.project : null;
  return (
    <div class="card card-pad version-about">
      <Definitions
        items={[
          ["Aliases", <NameChips noun="alias" names={version.aliases} tone="accent" write={place.write} fixed={["latest"]} invalidates={changed}
            add={(alias) => setVersionAlias(place.home, collection, name, alias)} remove={(alias) => removeVersionAlias(place.home, collection, name, alias)} />],
          ["Tags", <NameChips noun="tag" names={version.tags} write={place.write} invalidates={changed}
            add={(tag) => tagVersion(place.home, collection, name, tag)} remove={(tag) => untagVersion(place.home, collection, name, tag)} />],
          ["Content", `${plural(version.file_count, "file")}, ${formatBytes(version.size)}`],
          ...(version.source ? [["Linked from", artifactHref(version.source) ? <a class="wrap" href={artifactHref(version.source)}><SafeText text={version.source} line /></a> : <SafeText text={version.source} line />] as [string, preact.ComponentChildren]] : []),
          ...(version.run_id && project ? [["Made by", <a href={href(paths.runs(project, version.run_id))}>run <SafeText text={version.run_id} line /></a>] as [string, preact.ComponentChildren]] : []),
          ...(version.expires_at ? [["Deleted on", formatTime(version.expires_at, timeZone.value)] as [string, preact.ComponentChildren]] : []),
          ["Digest", <code class="wrap">{version.digest}</code>],
        ]}
      />
    </div>
  );
}

function Body({ place, version, now }: { place: Place; version: ArtifactVersion; now: number }) {
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("files", "metadata", "used"));
  const name = versionName(version);
  const path = place.name(version.collection, name);
  return (
    <Tabs
      label="Parts of the version" open={tab} onOpen={(next) => setTab(next, { replace: true })}
      tabs={[{ name: "files", text: "Files", count: version.file_count }, { name: "metadata", text: "Metadata", count: Object.keys(version.metadata).length }, { name: "used", text: "Used by" }]}
    >
      <div class="tab-content">
        {tab === "files" && (
          <>
            {place.files ? <Files place={place} collection={version.collection} version={name} /> : <p class="soft more-none">Your role in this registry does not allow reading files.</p>}
            {place.files && <div class="version-get"><Snippet title="Download all files and verify their digests" text={`spindle artifact get ${path} --output ${version.collection}`} /></div>}
          </>
        )}
        {tab === "metadata" && (Object.keys(version.metadata).length === 0
          ? <p class="soft more-none">This version has no metadata.</p>
          : <div class="card version-json"><JsonView label="Metadata" text={JSON.stringify(version.metadata, null, 2)} /></div>)}
        {tab === "used" && <UsedBy place={place} collection={version.collection} version={name} now={now} />}
      </div>
    </Tabs>
  );
}

export function VersionView({ place, collection, name }: { place: Place; collection: string; name: string }) {
  const now = useNow();
  const version = useQuery({ key: ["versions", place.key, collection, "one", name], read: (signal) => getVersion(place.home, collection, name, signal) });
  const { data } = version;
  const shown = data ? versionName(data) : name;
  const [layer, setLayer] = useState<"delete" | "link" | null>(null);
  const linked = inRegistry(place);
  useHeading(`${collection}:${shown}`, [...place.crumbs, { label: collection, href: placeHref(place, collection) }, { label: shown }]);
  const changed = [["versions", place.key, collection], ["collections", place.key]];
  const aliases = data?.aliases.filter((alias) => alias !== "latest") ?? [];
  const remove = useMutation({
    change: () => (linked ? unlinkVersion(place.home, collection, shown) : deleteVersion(place.home, collection, shown, { delete_aliases: aliases.length > 0 })),
    invalidates: changed,
    done: () => {
      toast({ kind: "ok", text: linked ? "The link is removed." : `${collection}:${shown} is deleted.` });
      navigate(place.path(collection), { replace: true });
    },
  });
  const path = place.name(collection, shown);
  const training = data?.type === "dataset" && "project" in place.home ? place.home.project : null;
  return (
    <Page
      title={<SafeText text={`${collection}:${shown}`} line />}
      lead={data && (
        <span class="job-lead">
          <Badge><SafeText text={data.type} line /></Badge>
          {data.state !== "COMMITTED" && <Status state={data.state} word={data.state.toLowerCase().replaceAll("_", " ")} />}
          <span>created <Ago time={data.created_at} now={now} /> by <SafeText text={data.created_by} line /></span>
          {data.description && <SafeText text={data.description} line />}
        </span>
      )}
      actions={data && place.write && (
        <>
          {training && <Button icon="rocket" href={href(paths.training(training), { wizard: JSON.stringify({ from: "artifact", artifact: `svc-artifact:///${path}` }) })}>Train on it</Button>}
          {!linked && data.state === "COMMITTED" && <Button icon="link" onClick={() => setLayer("link")}>Link…</Button>}
          <Menu label="Further actions" icon="dots" align="end" items={[{ text: linked ? "Remove the link…" : "Delete the version…", icon: "trash", danger: true, onSelect: () => setLayer("delete") }]} />
        </>
      )}
    >
      <Loaded state={version} what="version">
        {(loaded) => (
          <>
            <About place={place} version={loaded} changed={changed} />
            <Body place={place} version={loaded} now={now} />
          </>
        )}
      </Loaded>
      {data && layer === "link" && <LinkDialog source={path} type={data.type} suggested={collection} onClose={() => setLayer(null)} />}
      <ConfirmDialog
        open={layer === "delete"} title={linked ? `Remove the link ${collection}:${shown}?` : `Delete ${collection}:${shown}?`} action={linked ? "Remove the link" : "Delete"}
        busy={remove.pending} error={remove.error?.message ?? null} onClose={() => setLayer(null)} onConfirm={() => void remove.run().catch(() => undefined)}
      >
        <p>
          {linked ? "The version stays in its project." : `${plural(data?.file_count ?? 0, "file")} (${formatBytes(data?.size)}) and the version's links in registries are deleted.`}
          {aliases.length > 0 && ` It has the ${aliases.length === 1 ? "alias" : "aliases"} ${aliases.join(", ")}, which disappear with it.`}
          {!linked && " This cannot be undone."}
        </p>
      </ConfirmDialog>
    </Page>
  );
}
