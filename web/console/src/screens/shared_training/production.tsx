// Gives the alias `production` to a checkpoint.

import { setVersionAlias } from "../../api/artifacts";
import { useMutation } from "../../api/cache";
import { toast } from "../../app/toasts";
import { ConfirmDialog } from "../../ui/dialog";

export const PRODUCTION = "production";

export interface ProductionDialogProps {
  project: string;
  name: string;
  step: number;
  /** The step that has the alias now. */
  current: number | null;
  onClose: () => void;
}

export function ProductionDialog({ project, name, step, current, onClose }: ProductionDialogProps) {
  const give = useMutation({
    change: () => setVersionAlias({ project }, name, `step${step}`, PRODUCTION),
    invalidates: [["versions", project, name], ["collections", project]],
    done: () => {
      toast({ kind: "ok", text: `Step ${step} of ${name} is in production.` });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open title={`${current === null ? "Give" : "Move"} the alias ${PRODUCTION} to step ${step} of ${name}?`} action={current === null ? "Give the alias" : "Move the alias"} danger={false} busy={give.pending} error={give.error?.message ?? null}
      onClose={onClose} onConfirm={() => void give.run().catch(() => undefined)}
    >
      <p>
        Requests to <code>{`svc-artifact:///${project}/${name}:${PRODUCTION}`}</code> are answered by this checkpoint from now on
        {current === null ? "." : `, no longer by step ${current}.`} Automations that watch the alias run.
      </p>
    </ConfirmDialog>
  );
}
