// Bulk jobs of the project while they run, with a way to stop them.

import { useEffect, useRef } from "preact/hooks";

import { invalidate, useMutation, useQuery } from "../../api/cache";
import { type BulkJob, cancelBulkJob, createBulkJob, listBulkJobs, type NewBulkJob } from "../../api/calls";
import { toast, toastError } from "../../app/toasts";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";

const POLL_MS = 1000;

export function isFinished({ state }: Pick<BulkJob, "state">): boolean {
  return state === "succeeded" || state === "failed" || state === "cancelled";
}

/** What a job does: `Delete calls`, `Add calls to the dataset failures`. */
export function jobText({ action, parameters }: Pick<BulkJob, "action" | "parameters">): string {
  switch (action) {
    case "delete":
      return "Delete calls";
    case "score":
      return "Score calls";
    case "add_to_queue":
      return "Add calls to a queue";
    case "add_to_dataset":
      return `Add calls to the dataset ${String(parameters.dataset ?? "")}`;
  }
}

function endText(job: BulkJob): string {
  const what = jobText(job);
  if (job.state === "failed") return `${what}: ${job.error ?? "the job failed"}`;
  if (job.state === "cancelled") return `${what}: cancelled after ${plural(job.done, "call")}`;
  const bad = job.failed > 0 ? `, ${formatCount(job.failed)} failed` : "";
  return `${what}: ${plural(job.done, "call")} done${bad}`;
}

/** Starts a bulk job and shows it. */
export function useBulkJob(project: string, started: () => void) {
  return useMutation<NewBulkJob, BulkJob>({
    change: (request) => createBulkJob(project, request),
    invalidates: [["bulk jobs", project]],
    done: started,
  });
}

export function BulkJobs({ project, onFinished }: { project: string; onFinished: (job: BulkJob) => void }) {
  const jobs = useQuery({
    key: ["bulk jobs", project],
    read: (signal) => listBulkJobs(project, { limit: 10 }, signal),
    every: (data) => (data?.items.some((job) => !isFinished(job)) ? POLL_MS : false),
  });
  const cancel = useMutation<string>({ change: (id) => cancelBulkJob(project, id), invalidates: [["bulk jobs", project]] });
  const running = useRef(new Set<string>());
  const items = jobs.data?.items ?? [];
  useEffect(() => {
    for (const job of items) {
      if (!isFinished(job)) running.current.add(job.id);
      else if (running.current.delete(job.id)) {
        toast({ kind: job.state === "failed" ? "error" : job.state === "cancelled" ? "info" : "ok", text: endText(job) });
        void invalidate(["datasets", project]);
        onFinished(job);
      }
    }
  }, [jobs.data]);
  const shown = items.filter((job) => !isFinished(job));
  if (shown.length === 0) return null;
  return (
    <ul class="bulk-jobs" aria-label="Running jobs">
      {shown.map((job) => (
        <li key={job.id} class="bulk-job">
          <Status state={job.state} signOnly />
          <span class="truncate"><SafeText text={jobText(job)} line /></span>
          <progress max={job.total ?? 1} value={job.total === null ? undefined : job.done} aria-label={jobText(job)} />
          <span class="faint">{job.total === null ? "counting…" : `${formatCount(job.done)} of ${formatCount(job.total)}`}</span>
          <Button
            small kind="quiet" disabled={job.cancel_requested}
            onClick={() => void cancel.run(job.id).catch((error: unknown) => toastError("The job was not cancelled", error))}
          >
            {job.cancel_requested ? "Stopping…" : "Cancel"}
          </Button>
        </li>
      ))}
    </ul>
  );
}
