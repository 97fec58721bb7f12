// Step 3: what the export would contain, before anything is written.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type TrajectoryExport, type TrajectoryPreview, previewTrajectories } from "../../api/training";
import { href, paths } from "../../app/location";
import { Loaded } from "../../app/page";
import { formatBytes } from "../../format/bytes";
import { formatCount, formatSignificant, plural } from "../../format/numbers";
import { Button, ButtonGroup } from "../../ui/button";
import { JsonView } from "../../ui/content/json_view";
import { Icon } from "../../ui/icons";
import { Figures } from "../shared_parts/figures";
import { Histogram } from "./histogram";
import { excludedTexts, warningsOf } from "./preview_text";
import type { StepProps } from "./wizard";

function Samples({ project, samples }: { project: string; samples: TrajectoryPreview["samples"] }) {
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, samples.length - 1);
  const sample = samples[at];
  if (!sample) return null;
  const trace = sample.source.trace_id;
  return (
    <section class="stack" aria-label="Samples">
      <div class="wizard-line">
        <h2>Samples</h2>
        <ButtonGroup label="Samples">
          {samples.map((_, index) => <Button key={index} pressed={index === at} label={`Sample ${index + 1}`} onClick={() => setChosen(index)}>{String(index + 1)}</Button>)}
        </ButtonGroup>
        <span class="soft">{sample.reward !== null && `reward ${formatSignificant(sample.reward)} · `}{formatBytes(sample.bytes)}</span>
        {trace && <a href={href(paths.trace(project, trace))}>Open the trace</a>}
      </div>
      {sample.data
        ? <div class="sample-json"><JsonView label={`Sample ${at + 1}`} text={JSON.stringify(sample.data, null, 2)} bytes={sample.bytes} /></div>
        : <p class="soft">This sample is too large to be shown here.</p>}
    </section>
  );
}

export function PreviewStep({ project, draft, body }: StepProps & { body: TrajectoryExport }) {
  // The name of the artifact does not change what it contains.
  const { name: _, ...content } = body;
  const preview = useQuery({
    key: ["trajectory preview", project, JSON.stringify(content)],
    read: (signal) => previewTrajectories(content, signal),
    staleTime: 60_000,
    keep: false,
  });
  const noun = draft.kind === "rl" ? "group" : "example";
  return (
    <Loaded state={preview} what="preview of the data">
      {(data) => (
        <>
          <Figures
            label="What the data would contain"
            items={[
              { name: draft.from === "agents" ? "Traces read" : "Calls read", value: formatCount(data.num_calls), ...(data.num_matching === null ? {} : { note: `of ${formatCount(data.num_matching)} that match` }) },
              { name: draft.kind === "rl" ? "Groups" : "Examples", value: formatCount(data.num_lines), ...(data.num_lines === 0 ? { tone: "error" as const } : {}) },
              ...(draft.kind === "rl"
                ? [
                    { name: "Trainable groups", value: formatCount(data.num_trainable_groups), note: "with different rewards", ...(data.num_trainable_groups === 0 ? { tone: "error" as const } : {}) },
                    { name: "Answers", value: formatCount(data.num_trajectories), note: `${formatCount(data.num_with_logprobs)} with log probabilities` },
                  ]
                : []),
              ...(data.rewards ? [{ name: "Mean reward", value: formatSignificant(data.rewards.mean), note: `${formatSignificant(data.rewards.min)} to ${formatSignificant(data.rewards.max)}` }] : []),
            ]}
          />
          {warningsOf(data, draft).map((text) => <div key={text} class="note" role="note"><Icon name="alert" /><div>{text}</div></div>)}
          {data.truncated && <p class="soft">The preview stopped early; the export reads further.</p>}
          {data.rewards && <Histogram rewards={data.rewards} min={draft.min} />}
          {excludedTexts(data).length > 0 && <p class="soft">Left out: {excludedTexts(data).join(", ")}.</p>}
          {data.samples.length > 0 && <Samples project={project} samples={data.samples} />}
          {data.num_lines > 0 && <p role="status" class="visually-hidden">{plural(data.num_lines, noun)}</p>}
        </>
      )}
    </Loaded>
  );
}
