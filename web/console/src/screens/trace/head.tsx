// The line above a trace: what it was, and what can be done with it.

import { href, paths } from "../../app/location";
import { timeZone } from "../../app/preferences";
import { hasScreen } from "../../app/routes";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatCount, plural } from "../../format/numbers";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { copyText } from "../../ui/copy_button";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { toast } from "../../app/toasts";
import { opName } from "../shared_calls/call_facts";
import type { Neighbour } from "../shared_calls/neighbours";
import type { Outline } from "../shared_calls/outline";
import type { Neighbours } from "./trace_state";

export interface TraceHeadProps {
  project: string;
  trace: string;
  outline: Outline;
  neighbours: Neighbours;
}

/** Copies a text and says so. */
export function copyAndSay(text: string, what: string): void {
  copyText(text).then(
    () => toast({ kind: "ok", text: `${what} copied.` }),
    () => toast({ kind: "error", text: "The browser did not allow copying." }),
  );
}

/** A command that reads the trace. */
export function curlOf(project: string, trace: string): string {
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  const body = JSON.stringify({ project_id: project, filter: { trace_ids: [trace] } }).replaceAll("'", "'\\''");
  return `curl -s -u api:$KEY ${server}/calls/stream_query -H 'Content-Type: application/json' -d '${body}'`;
}

export function neighbourHref(project: string, neighbour: Neighbour, tab: string): string {
  return href(paths.trace(project, neighbour.trace), { span: neighbour.span ?? undefined, tab: tab || undefined });
}

export function TraceHead({ project, trace, outline, neighbours }: TraceHeadProps) {
  const { root } = outline;
  const tab = new URLSearchParams(location.search).get("tab") ?? "";
  const status = outline.running > 0 ? "running" : outline.status(root);
  return (
    <header class="trace-head">
      <h1 class="truncate"><SafeText text={opName(outline.name(root))} line /></h1>
      <div class="trace-facts">
        <Status state={status} />
        <span>{formatDuration(outline.duration)}</span>
        {outline.totalTokens !== null && <span>{formatCount(outline.totalTokens)} tok</span>}
        {outline.totalCost !== null && <span>{formatCost(outline.totalCost)}</span>}
        <span>{plural(outline.count, "step")}{outline.truncated && " shown, there are more"}</span>
        {outline.errors > 0 && <span class="ui-tone-error">{plural(outline.errors, "error")}</span>}
        <span class="faint">{formatTime(outline.t0, timeZone.value)}</span>
      </div>
      <span class="ui-grow" />
      <span class="trace-neighbours">
        <Button kind="quiet" icon="chevronUp" label="Previous trace  [" disabled={!neighbours.before} {...(neighbours.before ? { href: neighbourHref(project, neighbours.before, tab) } : {})} />
        <Button kind="quiet" icon="chevronDown" label="Next trace  ]" disabled={!neighbours.after} {...(neighbours.after ? { href: neighbourHref(project, neighbours.after, tab) } : {})} />
      </span>
      <Menu
        label="Copy and compare" align="end" kind="quiet"
        items={[
          { text: "Copy link", icon: "link", note: "c", onSelect: () => copyAndSay(location.href, "Link") },
          { text: "Copy trace id", icon: "copy", onSelect: () => copyAndSay(trace, "Trace id") },
          { text: "Copy as curl", icon: "terminal", onSelect: () => copyAndSay(curlOf(project, trace), "Command") },
          ...(hasScreen("compare") && neighbours.after
            ? [{ text: "Compare with the next", icon: "compare" as const, href: href(paths.compare(project), { ids: `${trace},${neighbours.after.trace}` }) }] : []),
        ]}
      />
    </header>
  );
}
