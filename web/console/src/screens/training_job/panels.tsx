// The parts beside the plots: data, scores before and after, configuration.

import { getVersion } from "../../api/artifacts";
import { useQuery } from "../../api/cache";
import type { TrainingJobDetail } from "../../api/training";
import { href, paths } from "../../app/location";
import { formatBytes } from "../../format/bytes";
import { formatChange, formatCount } from "../../format/numbers";
import { classes } from "../../ui/class_names";
import { Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Definitions, Table } from "../../ui/table";
import { artifactHref, parseArtifactPath } from "../shared_training/artifact_path";
import { configRows, configText } from "../shared_training/config";
import { type Score, scoreChanges, scoreText } from "../shared_training/scores";

const METADATA = 8;
/** What the screen says elsewhere. */
const KNOWN = new Set(["format", "kind", "project"]);

/** Writes the name of a member of the metadata: `num_trajectories` as `Trajectories`. */
function memberLabel(name: string): string {
  const words = name.replace(/^num_/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the job learns from, with what its artifact says about itself. */
export function DataPanel({ job }: { job: TrainingJobDetail }) {
  const parsed = parseArtifactPath(job.data_url);
  const version = useQuery({
    key: ["version", parsed?.project ?? "", parsed?.name ?? "", parsed?.version ?? ""],
    read: (signal) => getVersion({ project: parsed!.project }, parsed!.name, parsed!.version, signal),
    enabled: parsed !== null,
  });
  const link = artifactHref(job.data_url);
  const metadata = Object.entries(version.data?.metadata ?? {}).filter(([name, value]) => !KNOWN.has(name) && ["string", "number", "boolean"].includes(typeof value)).slice(0, METADATA);
  return (
    <Definitions
      items={[
        ["From", job.data_url === null ? <span class="faint">groups that a client sent</span> : link ? <a class="wrap" href={link}><SafeText text={`${parsed!.name}:${parsed!.version}`} line /></a> : <code class="wrap"><SafeText text={job.data_url} line /></code>],
        ["Size", formatBytes(job.data_bytes)],
        ...(version.error?.missing ? [["State", <span class="faint">the artifact was deleted</span>] as [string, preact.ComponentChildren]] : []),
        ...metadata.map(([name, value]): [string, preact.ComponentChildren] => [memberLabel(name), typeof value === "number" ? formatCount(value) : <span class="wrap"><SafeText text={String(value)} line /></span>]),
        ["Traces", <a href={href(paths.traces(job.project))}>of this project</a>],
      ]}
    />
  );
}

export interface BeforeAfterProps {
  project: string;
  before: readonly Score[];
  after: readonly Score[];
  beforeStep: number | null;
  afterStep: number | null;
  loading: boolean;
}

export function BeforeAfter({ project, before, after, beforeStep, afterStep, loading }: BeforeAfterProps) {
  if (loading) return <Skeleton lines={2} label="Loading the scores" />;
  const changes = scoreChanges(before, after);
  if (changes.length === 0) return <p class="card-pad soft">Not evaluated yet. Evaluate the checkpoints before and after the job to see what it changed.</p>;
  const cell = (score: Score | null) => score ? <a href={href(paths.evals(project, score.run))}>{scoreText(score)}</a> : <span class="faint">–</span>;
  return (
    <Table
      label="Scores before and after" rows={changes} rowKey={({ evaluation, metric }) => `${evaluation} ${metric}`}
      columns={[
        { key: "metric", title: "Score", wide: true, cell: ({ evaluation, metric }) => <><SafeText text={evaluation} line /> <span class="faint"><SafeText text={metric} line /></span></> },
        { key: "before", title: beforeStep === null ? "Before" : `Step ${beforeStep}`, number: true, cell: (row) => cell(row.before) },
        { key: "after", title: afterStep === null ? "After" : `Step ${afterStep}`, number: true, cell: (row) => cell(row.after) },
        {
          key: "change", title: "Change", number: true,
          cell: ({ before: from, after: to }) => {
            if (!from || !to) return <span class="faint">–</span>;
            const difference = to.value - from.value;
            return <span class={classes(difference > 0 && "ui-tone-ok", difference < 0 && "ui-tone-error")}>{to.share ? `${formatChange(difference * 100, 1)} pp` : formatChange(difference)}</span>;
          },
        },
      ]}
    />
  );
}

export function ConfigPanel({ job }: { job: TrainingJobDetail }) {
  const rows = configRows(job.kind, job.config);
  const changed = rows.filter(({ differs }) => differs).length;
  return (
    <>
      <p class="card-line soft">{changed === 0 ? "All settings have their defaults." : `${changed} of ${rows.length} settings differ from the defaults.`}</p>
      <div class="config">
        <Table
          label="Configuration" rows={rows} rowKey={({ name }) => name}
          columns={[
            { key: "name", title: "Setting", cell: ({ name, differs }) => <code class={differs ? "changed" : "soft"}>{name}</code> },
            {
              key: "value", title: "Value", wide: true,
              cell: ({ value, initial, differs, known }) => (
                <>
                  <code class={differs ? "changed" : undefined}><SafeText text={configText(value)} line /></code>
                  {differs && known && <> <span class="faint">default <code>{configText(initial)}</code></span></>}
                </>
              ),
            },
          ]}
        />
      </div>
    </>
  );
}
