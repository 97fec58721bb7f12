// The checkpoints of the job's model in a row; the one that this job made is marked.

import type { ArtifactVersion } from "../../api/artifacts";
import type { Checkpoint } from "../../api/training";
import { Badge } from "../../ui/status";
import { Button } from "../../ui/button";
import { classes } from "../../ui/class_names";
import { ownAliases, versionOfStep } from "../shared_training/checkpoints";

const SHOWN = 12;

export interface CheckpointStripProps {
  checkpoints: readonly Checkpoint[];
  versions: readonly ArtifactVersion[] | undefined;
  /** The step that the job published. */
  own: number | null;
  chosen: number | null;
  onChoose: (step: number) => void;
}

export function CheckpointStrip({ checkpoints, versions, own, chosen, onChoose }: CheckpointStripProps) {
  const hidden = Math.max(0, checkpoints.length - SHOWN);
  return (
    <div class="checkpoint-strip" role="group" aria-label="Checkpoints">
      {hidden > 0 && <span class="faint">{hidden} earlier …</span>}
      {checkpoints.slice(hidden).map(({ step }) => (
        <span key={step} class={classes("checkpoint", step === own && "checkpoint-own")}>
          <Button small pressed={step === chosen} onClick={() => onChoose(step)}>{step === own ? `● step${step}` : `step${step}`}</Button>
          {ownAliases(versionOfStep(versions, step)).map((alias) => <Badge key={alias} tone="ok">{alias}</Badge>)}
        </span>
      ))}
    </div>
  );
}
