// The versions of a dataset: who published them, aliases, differences, deleting.

import { useState } from "preact/hooks";

import { invalidate, useMutation } from "../../api/cache";
import { type ObjectVersion, deleteDataset } from "../../api/objects";
import { href, paths } from "../../app/location";
import { timeZone } from "../../app/preferences";
import { toast } from "../../app/toasts";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Table } from "../../ui/table";

export function DatasetVersions({ project, id, versions, write }: { project: string; id: string; versions: ObjectVersion[]; write: boolean }) {
  const [deleting, setDeleting] = useState<ObjectVersion | null>(null);
  const remove = useMutation({
    change: (version: ObjectVersion) => deleteDataset(project, id, { digests: [version.digest] }),
    done: (_, version) => {
      setDeleting(null);
      void invalidate(["objects", project]);
      toast({ kind: "ok", text: `${id}:v${version.version_index} is deleted.` });
    },
  });
  return (
    <div class="dataset-pad">
      <Table
        label="Versions" rows={versions} rowKey={({ digest }) => digest}
        rowHref={({ version_index }) => href(paths.datasets(project, id), { version: `v${version_index}` })}
        columns={[
          { key: "version", title: "Version", cell: ({ version_index }) => <strong>v{version_index}</strong> },
          { key: "aliases", title: "Aliases", cell: ({ aliases }) => (aliases ?? []).map((alias) => <Badge key={alias} tone={alias === "latest" ? "neutral" : "accent"}><SafeText text={alias} line /></Badge>) },
          { key: "created", title: "Published", wide: true, cell: ({ created_at }) => formatTime(created_at, timeZone.value) },
          { key: "digest", title: "Digest", cell: ({ digest }) => <code>{digest.slice(0, 12)}</code> },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (version) => (
              <span class="version-actions">
                {version.version_index > 0 && <Button small href={href(paths.datasets(project, id), { tab: "diff", from: `v${version.version_index - 1}`, to: `v${version.version_index}` })}>Differences</Button>}
                {write && versions.length > 1 && <Button small kind="quiet" icon="trash" label={`Delete v${version.version_index}`} onClick={() => setDeleting(version)} />}
              </span>
            ),
          },
        ]}
      />
      <ConfirmDialog
        open={deleting !== null} onClose={() => setDeleting(null)} onConfirm={() => { if (deleting) void remove.run(deleting).catch(() => undefined); }} action="Delete"
        title={`Delete ${id}:v${deleting?.version_index ?? ""}?`} busy={remove.pending} error={remove.error?.message ?? null}
      >
        <p>Evaluations that use this version can no longer be run. Its number is not used again.</p>
      </ConfirmDialog>
    </div>
  );
}
