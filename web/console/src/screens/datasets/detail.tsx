// One dataset: rows of a version, its versions, differences between two.

import { useState } from "preact/hooks";

import { invalidate, useMutation, useQuery } from "../../api/cache";
import { type ObjectVersion, deleteDataset, listObjects, tableStats } from "../../api/objects";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded } from "../../app/page";
import { Hidden } from "../../app/not_found";
import { useHeading, useProject } from "../../app/screen";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy_button";
import { ConfirmDialog } from "../../ui/dialog";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Select } from "../../ui/inputs";
import { Badge } from "../../ui/status";
import { Tabs } from "../../ui/tabs";
import { objectRef, tableDigest } from "../shared_objects/refs";
import { isRecord } from "../shared_values/value_text";
import { DatasetDiff } from "./dataset_diff";
import { DatasetRows } from "./rows";
import { DatasetVersions } from "./versions";

/** All versions of the dataset, the newest first. */
function useVersions(project: string, id: string) {
  return useQuery({
    key: ["objects", project, "versions", id],
    read: async (signal) => {
      const { objs } = await listObjects(
        { project_id: project, filter: { object_ids: [id] }, include_tags_and_aliases: true, sort_by: [{ field: "created_at", direction: "desc" }], limit: 500 },
        signal,
      );
      return objs.sort((a, b) => b.is_latest - a.is_latest || b.version_index - a.version_index);
    },
  });
}

function DatasetView({ id, versions }: { id: string; versions: ObjectVersion[] }) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("rows", "versions", "diff"));
  const [wanted, setWanted] = useUrlState("version", codecs.text());
  const [deleting, setDeleting] = useState(false);
  const latest = versions[0]!;
  const version = versions.find(({ version_index }) => `v${version_index}` === wanted) ?? latest;
  const value = isRecord(version.val) ? version.val : {};
  const digest = tableDigest(value.rows);
  const count = useQuery({
    key: ["table", project, digest, "count"],
    read: (signal) => tableStats({ project_id: project, digest: digest ?? "" }, signal),
    enabled: digest !== null,
    staleTime: Infinity,
  });
  const remove = useMutation({
    change: () => deleteDataset(project, id),
    done: () => {
      void invalidate(["objects", project]);
      toast({ kind: "ok", text: `The dataset ${id} is deleted.` });
      navigate(paths.datasets(project));
    },
  });
  const description = typeof value.description === "string" ? value.description : "";
  return (
    <div class="fill">
      <div class="fill-head">
        <div class="fill-titles">
          <h1><SafeText text={id} line /></h1>
          {(version.aliases ?? []).map((alias) => <Badge key={alias} tone={alias === "latest" ? "neutral" : "accent"}><SafeText text={alias} line /></Badge>)}
          {description && <span class="soft"><SafeText text={description} line /></span>}
        </div>
        <div class="fill-actions">
          <span class="version-select">
            <Select label="Version" value={`v${version.version_index}`} onChange={(next) => setWanted(next === `v${latest.version_index}` ? "" : next)}
              options={versions.map((item) => ({ value: `v${item.version_index}`, text: `v${item.version_index}${item === latest ? " (latest)" : ""}` }))} />
          </span>
          <CopyButton kind="normal" text={objectRef(project, id, version.digest)} label="Copy the ref">Ref</CopyButton>
          {write && <Button icon="play" href={href(paths.evals(project), { new: id })}>Evaluate</Button>}
          {write && <Menu label="More" align="end" items={[{ text: "Delete the dataset", icon: "trash", danger: true, onSelect: () => setDeleting(true) }]} />}
        </div>
      </div>
      <div class="fill-body dataset-tabs">
        <Tabs
          label="Dataset" open={tab} onOpen={(name) => setTab(name)}
          tabs={[{ name: "rows", text: "Rows", count: count.data?.count ?? null }, { name: "versions", text: "Versions", count: versions.length }, { name: "diff", text: "Differences" }]}
        >
          {tab === "rows" && digest !== null && (
            <Loaded state={count} what="table">
              {({ count: rows }) => <DatasetRows key={digest} project={project} id={id} version={version} value={value} table={digest} count={rows} write={write} latest={version === latest} onPublished={() => setWanted("")} />}
            </Loaded>
          )}
          {tab === "rows" && digest === null && <p class="fill-note">This version has no table of rows.</p>}
          {tab === "versions" && <DatasetVersions project={project} id={id} versions={versions} write={write} />}
          {tab === "diff" && <DatasetDiff project={project} versions={versions} />}
        </Tabs>
      </div>
      <ConfirmDialog
        open={deleting} onClose={() => setDeleting(false)} onConfirm={() => void remove.run().catch(() => undefined)} action="Delete" typedName={id}
        title={`Delete the dataset ${id}?`} busy={remove.pending} error={remove.error?.message ?? null}
      >
        <p>All {versions.length} versions are deleted. Evaluations that use them can no longer be run. This cannot be undone.</p>
      </ConfirmDialog>
    </div>
  );
}

export function DatasetDetail({ id }: { id: string }) {
  const { id: project } = useProject();
  const versions = useVersions(project, id);
  useHeading(id);
  return <Loaded state={versions} what="dataset">{(all) => (all.length === 0 ? <Hidden what="dataset" /> : <DatasetView id={id} versions={all} />)}</Loaded>;
}
