// The artifacts that a run used and made.

import { usePages } from "../../api/cache";
import { type RunArtifact, runInputs, runOutputs } from "../../api/runs";
import { Section } from "../../app/page";
import { formatBytes } from "../../format/bytes";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Ago } from "../shared_parts/ago";
import { PagedTable } from "../shared_parts/paged_table";
import { artifactHref } from "../shared_training/artifact_path";

function Artifacts({ project, run, side, now }: { project: string; run: string; side: "inputs" | "outputs"; now: number }) {
  const read = side === "inputs" ? runInputs : runOutputs;
  const pages = usePages<RunArtifact>({ key: ["run artifacts", project, run, side], read: (cursor, signal) => read(project, run, { cursor, limit: 50 }, signal) });
  return (
    <PagedTable
      state={pages} what={side} label={side === "inputs" ? "Used artifacts" : "Created artifacts"} rowKey={({ id, at }) => `${id} ${at}`} rowHref={({ path }) => artifactHref(path)}
      empty={(
        <p class="soft more-none">
          {side === "inputs"
            ? <>No artifact was recorded as an input. Record one with <code class="wrap">PUT /api/v1/projects/{project}/runs/{run}/inputs/art_…</code></>
            : <>No artifact names this run as its creator. Set <code>run_id</code> when you create a version.</>}
        </p>
      )}
      columns={[
        { key: "path", title: "Version", wide: true, cell: ({ path, id }) => path ? <SafeText text={path} line /> : <span class="faint">{id}: you may not read it</span> },
        { key: "type", title: "Type", cell: ({ type }) => type && <Badge><SafeText text={type} line /></Badge> },
        { key: "size", title: "Size", number: true, cell: ({ size }) => formatBytes(size) },
        { key: "at", title: side === "inputs" ? "Used" : "Created", cell: ({ at }) => <Ago time={at} now={now} /> },
      ]}
    />
  );
}

export function Lineage(props: { project: string; run: string; now: number }) {
  return (
    <>
      <Section title="Used"><Artifacts {...props} side="inputs" /></Section>
      <Section title="Created"><Artifacts {...props} side="outputs" /></Section>
    </>
  );
}
