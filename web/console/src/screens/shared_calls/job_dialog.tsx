// The frame of the dialogs that start a bulk job: counts the calls, shows limits and errors.

import type { ComponentChildren } from "preact";

import { useQuery } from "../../api/cache";
import type { BulkAction, NewBulkJob } from "../../api/calls";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { useBulkJob } from "./bulk_jobs";
import { type CallTarget, MOST_CALLS, countTarget, jobRequest, targetText } from "./call_target";

export interface JobDialogProps {
  project: string;
  target: CallTarget;
  onClose: () => void;
}

/** Counts the calls of a target while a dialog is open. */
export function useTargetCount(project: string, target: CallTarget) {
  return useQuery({
    key: ["target", project, target],
    read: (signal) => countTarget(project, target, signal),
    staleTime: 0,
    keep: false,
  });
}

interface FrameProps extends JobDialogProps {
  action: BulkAction;
  /** The title behind the count: "to a dataset". */
  title: (calls: string) => string;
  button: string;
  /** The parameters of the job, or null while something is missing. A promise may create what is needed first. */
  parameters: () => Promise<Record<string, unknown>> | Record<string, unknown> | null;
  ready: boolean;
  typed: boolean;
  children: ComponentChildren;
}

export function JobDialog({ project, target, onClose, action, title, button, parameters, ready, typed, children }: FrameProps) {
  const count = useTargetCount(project, target);
  const job = useBulkJob(project, onClose);
  const total = count.data;
  const most = MOST_CALLS[action];
  const tooMany = total !== undefined && total > most;
  const start = async () => {
    if (!ready || total === undefined || total === 0 || tooMany) return;
    const found = await parameters();
    if (!found) return;
    const request: NewBulkJob = jobRequest(target, action, total, found);
    await job.run(request);
  };
  return (
    <Dialog
      open onClose={onClose} keepOpen={typed} title={title(total === undefined ? "calls" : targetText(total))}
      onSubmit={() => void start().catch(() => undefined)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!ready || !total || tooMany} busy={job.pending}>{button}</Button>
        </>
      }
    >
      {children}
      {tooMany && <p class="ui-field-error" role="alert">At most {formatCount(most)} calls at once. Narrow the filter or the time.</p>}
      {count.error && <p class="ui-field-error" role="alert">The calls could not be counted: {count.error.message}</p>}
      {job.error && (
        <p class="ui-field-error" role="alert">
          {job.error.status === 409 ? "The number of calls has changed meanwhile. Close this and look again." : job.error.message}
        </p>
      )}
    </Dialog>
  );
}
