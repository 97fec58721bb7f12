// The training jobs of a project, newest first.

import { usePages } from "../../api/cache";
import { useLive } from "../../api/live";
import { type TrainingJobDetail, listTrainingJobs } from "../../api/training";
import { href, paths } from "../../app/location";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { Select } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Ago } from "../shared_parts/ago";
import { PagedTable } from "../shared_parts/paged_table";
import { JobStatus, KindBadge, ProgressBar, isOpen, progressText } from "./job_parts";

type JobState = TrainingJobDetail["status"];
const STATES: [JobState, string][] = [["PENDING", "waiting"], ["RUNNING", "running"], ["COMPLETED", "completed"], ["FAILED", "failed"], ["CANCELLED", "cancelled"]];

function elapsed({ training_start, training_end }: TrainingJobDetail, now: number): string {
  if (!training_start) return formatDuration(null);
  return formatDuration((training_end ? Date.parse(training_end) : now) - Date.parse(training_start));
}

export function JobTable({ project, model, now, empty }: { project: string; model?: string; now: number; empty: preact.ComponentChildren }) {
  const [status, setStatus] = useUrlState("status", codecs.oneOf<JobState | "">("", ...STATES.map(([name]) => name)));
  const jobs = usePages({
    key: ["training jobs", project, model ?? "", status],
    read: (cursor, signal) =>
      listTrainingJobs({ project, cursor, limit: 50, ...(model ? { model_id: model } : {}), ...(status ? { status } : {}) }, signal),
  });
  useLive("jobs", project, () => jobs.refetch());
  const nothing = !jobs.loading && jobs.items.length === 0 && status === "";
  return (
    <>
      {!nothing && (
        <div class="filters">
          <Select label="Status" value={status} onChange={(value) => setStatus(value)} options={[{ value: "", text: "All states" }, ...STATES.map(([value, text]) => ({ value, text }))]} />
        </div>
      )}
      <PagedTable
        state={jobs} what="training jobs" label="Training jobs" rowKey={({ id }) => id} rowHref={({ id }) => href(paths.trainingJob(project, id))}
        empty={status === "" ? empty : <p class="soft more-none">No job is in this state.</p>}
        columns={[
          { key: "model", title: "Model", cell: (job) => <span class="cut"><SafeText text={job.model} line /></span> },
          { key: "kind", title: "Kind", cell: (job) => <KindBadge kind={job.kind} /> },
          { key: "status", title: "Status", cell: (job) => <JobStatus status={job.status} /> },
          {
            key: "progress", title: "Progress", wide: true,
            cell: (job) => job.status === "FAILED"
              ? <span class="ui-tone-error"><SafeText text={job.error_message ?? "failed"} line /></span>
              : isOpen(job)
                ? <span class="job-progress">{job.status === "RUNNING" && <ProgressBar share={job.progress} label={`Progress of ${job.model}`} />}<span class="nowrap soft">{progressText(job)}</span></span>
                : <span class="soft">{job.step === null ? job.note && <SafeText text={job.note} line /> : `published step ${job.step}`}</span>,
          },
          { key: "base", title: "Base model", cell: (job) => <span class="cut soft"><SafeText text={job.base_model} line /></span> },
          { key: "took", title: "Time", number: true, cell: (job) => elapsed(job, now) },
          { key: "by", title: "By", cell: (job) => <span class="cut"><SafeText text={job.created_by} line /></span> },
          { key: "created", title: "Created", cell: (job) => <Ago time={job.created_at} now={now} /> },
        ]}
      />
    </>
  );
}
