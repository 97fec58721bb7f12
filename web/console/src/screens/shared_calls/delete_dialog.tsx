// Deletes calls with everything below them.

import { plural } from "../../format/numbers";
import { ConfirmDialog } from "../../ui/dialog";
import { useBulkJob } from "./bulk_jobs";
import { jobRequest } from "./call_target";
import { type JobDialogProps, useTargetCount } from "./job_dialog";

export function DeleteDialog({ project, target, onClose }: JobDialogProps) {
  const count = useTargetCount(project, target);
  const job = useBulkJob(project, onClose);
  const total = count.data ?? 0;
  return (
    <ConfirmDialog
      open onClose={onClose} title={count.data === undefined ? "Delete calls?" : `Delete ${plural(total, "call")}?`} action="Delete" count={total}
      busy={job.pending || count.loading} error={job.error?.message ?? count.error?.message ?? null}
      onConfirm={() => void job.run(jobRequest(target, "delete", total, {})).catch(() => undefined)}
    >
      <p>Calls below them and their feedback are deleted too. Rows of datasets stay. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
