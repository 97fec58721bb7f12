// The payloads of one step in two traces, as a difference.

import { LazyDiff } from "../../ui/lazy";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import type { Outline } from "../shared_calls/outline";
import { type StepDetail, useStep } from "../shared_calls/step_detail";

export type Side = "output" | "inputs" | "attributes";

const PRETTY_LENGTH = 1_000_000;

/** Returns JSON with a line for each value, so that a difference concerns few lines. Texts are shown as texts. */
export function diffText(json: string): string {
  if (json.length > PRETTY_LENGTH) return json;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  } catch {
    return json;
  }
}

function textOf(step: StepDetail | undefined, side: Side): string {
  if (!step) return "";
  const text = diffText(step[side]);
  if (side !== "output" || !step.exception) return text;
  return text === "null" ? step.exception : `${step.exception}\n${text}`;
}

export interface StepDiffProps {
  project: string;
  traces: readonly [string, string];
  outlines: readonly [Outline, Outline];
  nodes: readonly [number, number];
  labels: readonly [string, string];
  side: Side;
  wide: boolean;
}

function useSide(project: string, trace: string, outline: Outline, node: number) {
  return useStep(project, trace, node < 0 ? null : outline.ids[node] ?? null, node < 0 ? "call" : outline.source(node));
}

export function StepDiff({ project, traces, outlines, nodes, labels, side, wide }: StepDiffProps) {
  const before = useSide(project, traces[0], outlines[0], nodes[0]);
  const after = useSide(project, traces[1], outlines[1], nodes[1]);
  const failed = before.error ?? after.error;
  if (failed) {
    return (
      <ErrorNote
        title="The step could not be read" message={failed.message} requestId={failed.requestId}
        onRetry={() => { before.refetch(); after.refetch(); }} retrying={before.refetching || after.refetching}
      />
    );
  }
  if ((nodes[0] >= 0 && !before.data) || (nodes[1] >= 0 && !after.data)) return <Skeleton lines={8} label="Loading the step" />;
  return (
    <LazyDiff
      before={nodes[0] < 0 ? "" : textOf(before.data, side)} after={nodes[1] < 0 ? "" : textOf(after.data, side)}
      beforeLabel={nodes[0] < 0 ? `${labels[0]}: not there` : labels[0]} afterLabel={nodes[1] < 0 ? `${labels[1]}: not there` : labels[1]}
      layout={wide ? "side" : "inline"}
    />
  );
}
