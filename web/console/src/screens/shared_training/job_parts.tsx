// The state and the progress of a training job.

import type { TrainingJobDetail } from "../../api/training";
import { formatClock } from "../../format/durations";
import { formatCount, formatPercent } from "../../format/numbers";
import { Badge, Status } from "../../ui/status";

type State = Pick<TrainingJobDetail, "status">;

/** True while the job waits or runs. */
export function isOpen({ status }: State): boolean {
  return status === "PENDING" || status === "RUNNING";
}

export function JobStatus({ status }: State) {
  return status === "PENDING" ? <Status state="queued" tone="neutral" word="waiting" /> : <Status state={status} />;
}

export function KindBadge({ kind }: { kind: "rl" | "sft" }) {
  return <Badge title={kind === "sft" ? "Supervised fine-tuning: learns from examples" : "Reinforcement learning: learns from rewards"}>{kind.toUpperCase()}</Badge>;
}

/** The bar of a share between 0 and 1. */
export function ProgressBar({ share, label }: { share: number | null; label: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, share ?? 0)) * 100);
  return (
    <span class="meter" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
      <span class="meter-fill" style={{ width: `${percent}%` }} />
    </span>
  );
}

/** `68 % · step 82/120 · ≈ 1:10 left`, or the place in the queue. */
export function progressText(job: TrainingJobDetail): string {
  if (job.status === "PENDING") return job.queue_position ? `place ${formatCount(job.queue_position)} in the queue` : "a trainer is preparing";
  const parts: string[] = [];
  if (job.progress !== null) parts.push(formatPercent(job.progress));
  if (job.steps_expected !== null && job.progress !== null) {
    parts.push(`step ${formatCount(Math.round(job.progress * job.steps_expected))}/${formatCount(job.steps_expected)}`);
  }
  if (job.status === "RUNNING" && job.seconds_left !== null) parts.push(`≈ ${formatClock(job.seconds_left * 1000)} left`);
  return parts.join(" · ");
}
