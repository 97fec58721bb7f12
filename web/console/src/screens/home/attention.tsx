// What is going on and what goes wrong: running training jobs, webhooks that fail.

import { useEffect, useRef } from "preact/hooks";

import { deliveryStats, type WebhookHealth } from "../../api/automation";
import { useQuery } from "../../api/cache";
import type { Project } from "../../api/identity";
import { subscribe } from "../../api/live";
import { type TrainingJobDetail, listTrainingJobs } from "../../api/training";
import { href, paths } from "../../app/location";
import { Section } from "../../app/page";
import { formatPercent, plural } from "../../format/numbers";
import { formatRelative } from "../../format/time";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";

const DAY_MS = 86_400_000;
/** More projects or teams than this are not asked one by one. */
const MOST = 12;

/** Resolves with the values of the promises that did not fail: one hidden project must not hide the others. */
async function fulfilled<T>(promises: Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

export function RunningJobs({ projects }: { projects: readonly Project[] }) {
  const names = projects.slice(0, MOST).map(({ team, name }) => `${team}/${name}`);
  const jobs = useQuery<TrainingJobDetail[]>({
    key: ["running jobs", ...names],
    read: async (signal) => {
      const pages = await fulfilled(
        names.flatMap((project) =>
          (["RUNNING", "PENDING"] as const).map((status) => listTrainingJobs({ project, status, limit: 5 }, signal)),
        ),
      );
      return pages.flatMap(({ items }) => items).sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    },
    enabled: names.length > 0,
    every: 15_000,
  });
  const refetch = useRef(jobs.refetch);
  refetch.current = jobs.refetch;
  useEffect(() => {
    const stops = names.map((name) => subscribe(`jobs:${name}`, () => refetch.current()));
    return () => stops.forEach((stop) => stop());
  }, [names.join("\n")]);
  if (!jobs.data || jobs.data.length === 0) return null;
  return (
    <Section title="Training">
      <ul class="card rows">
        {jobs.data.map((job) => (
          <li key={job.id}>
            <a class="note-row" href={href(paths.trainingJob(job.project, job.id))}>
              <Status state={job.status} />
              <span class="note-main"><SafeText text={job.model} line /> <span class="faint"><SafeText text={job.project} line /></span></span>
              <span class="note-end">
                {job.status === "RUNNING" && job.progress !== null && (
                  <progress class="bar" value={job.progress} max={1} aria-label="Progress">{formatPercent(job.progress)}</progress>
                )}
                {job.status === "RUNNING" ? formatPercent(job.progress) : job.queue_position ? `place ${job.queue_position}` : "waits"}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface TeamHealth extends WebhookHealth {
  team: string;
}

function failedCount({ counts }: WebhookHealth): number {
  return counts.failed + counts.retrying;
}

export function FailingWebhooks({ teams, now }: { teams: readonly string[]; now: number }) {
  const asked = teams.slice(0, MOST);
  const since = new Date(Math.floor((now - DAY_MS) / 60_000) * 60_000).toISOString();
  const health = useQuery<TeamHealth[]>({
    key: ["failing webhooks", ...asked],
    read: async (signal) => {
      const stats = await fulfilled(
        asked.map(async (team) => (await deliveryStats({ team, since }, signal)).items.map((item) => ({ ...item, team }))),
      );
      return stats.flat().filter((item) => failedCount(item) > 0);
    },
    enabled: asked.length > 0,
    every: 60_000,
  });
  if (!health.data || health.data.length === 0) return null;
  return (
    <Section title="Webhooks that fail">
      <ul class="card rows">
        {health.data.map((item) => (
          <li key={item.webhook_id}>
            <a class="note-row" href={href(paths.webhooks(item.team, item.webhook_id))}>
              <Status state="error" word={plural(failedCount(item), "failure")} />
              <span class="note-main">
                <SafeText text={item.name} line /> <span class="faint"><SafeText text={item.team} line /></span>
              </span>
              <span class="note-end">{formatRelative(item.last_failure?.at, now)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
