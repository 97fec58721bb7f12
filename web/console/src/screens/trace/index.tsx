// One trace: outline first, then what the chosen step got and returned.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { BulkJob } from "../../api/calls";
import { href, navigate, navigateTo, paths } from "../../app/location";
import { Loaded } from "../../app/page";
import { type ScreenProps, useHeading, useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { codecs, useUrlState } from "../../app/url_state";
import { plural } from "../../format/numbers";
import { truncateMiddle } from "../../format/truncate";
import { useAfterPaint } from "../../ui/after_paint";
import { Button } from "../../ui/button";
import { Skeleton } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import { Waterfall } from "../../ui/list/waterfall";
import { SplitPane } from "../../ui/split_pane";
import { BulkJobs } from "../shared_calls/bulk_jobs";
import { opName } from "../shared_calls/call_facts";
import { type Outline, stepFilter } from "../shared_calls/outline";
import { StepName } from "../shared_calls/step_name";
import { TraceHead, copyAndSay, neighbourHref } from "./head";
import { StepPanel, TAB_NAMES, type TabName } from "./step_panel";
import { useNeighbours, useTrace } from "./trace_state";

const TEXT = codecs.text();
const FLAG = codecs.flag();

/** Applies the search to the tree. Returns how many steps pass and a number that changes with it. */
function useFiltered(outline: Outline, text: string, errorsOnly: boolean): { passed: number | null; version: number } {
  const version = useRef(0);
  return useMemo(() => {
    const test = stepFilter(outline, text, errorsOnly);
    const passed = outline.model.filter(test);
    if (test) outline.model.setAllOpen(true);
    version.current += 1;
    return { passed: test ? passed : null, version: version.current };
  }, [outline, text, errorsOnly]);
}

/** A new outline of the same trace keeps what the reader opened and closed. */
function useSteadyTree(outline: Outline): void {
  const before = useRef<Outline | null>(null);
  if (before.current !== outline) {
    const old = before.current;
    before.current = outline;
    if (old) for (let node = 0; node < outline.count; node++) {
      const known = old.find(outline.ids[node]!);
      if (known >= 0) outline.model.setOpen(node, old.model.isOpen(known));
    }
  }
}

function TraceView({ trace, outline }: { trace: string; outline: Outline }) {
  const { id: project } = useProject();
  useSteadyTree(outline);
  const [span, setSpan] = useUrlState("span", TEXT);
  const [tabText] = useUrlState("tab", TEXT);
  const [find, setFind] = useUrlState("find", TEXT);
  const [errorsOnly, setErrorsOnly] = useUrlState("errors", FLAG);
  const input = useRef<HTMLInputElement>(null);
  const { passed, version } = useFiltered(outline, find, errorsOnly);
  const found = span === "" ? -1 : outline.find(span);
  const node = found >= 0 ? found : outline.root;
  const tab = TAB_NAMES.find((name) => name === tabText) ?? null;
  const name = opName(outline.name(outline.root));
  useHeading(name || "Trace", [{ label: truncateMiddle(name || trace, 48) }]);

  const address = useCallback((change: Record<string, string | null>) => {
    const search = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(change)) {
      if (value === null) search.delete(key);
      else search.set(key, value);
    }
    const text = search.toString();
    return `${href(paths.trace(project, trace))}${text ? `?${text}` : ""}`;
  }, [project, trace, span, tabText]);
  const stepHref = useCallback((id: string) => address({ span: id, tab: "io" }), [address]);
  const tabHref = (next: TabName) => address({ tab: next });
  const select = useCallback((next: number) => setSpan(next === outline.root ? "" : outline.ids[next] ?? "", { replace: true }), [outline]);
  const nameOf = useCallback((at: number) => <StepName name={outline.name(at)} kind={outline.kind(at)} status={outline.status(at)} />, [outline]);

  // The outline comes first.
  const outlinePainted = useAfterPaint(true);
  const neighbours = useNeighbours(project, trace, span || null, outline.t0, outlinePainted);
  const group = "Trace";
  const go = (to: typeof neighbours.before) => to && navigateTo(neighbourHref(project, to, tabText));
  useShortcut({ keys: "[", label: "Previous trace", group }, () => go(neighbours.before));
  useShortcut({ keys: "]", label: "Next trace", group }, () => go(neighbours.after));
  useShortcut({ keys: "/", label: "Find in the trace", group }, () => input.current?.focus());
  useShortcut({ keys: "e", label: "Errors only", group }, () => setErrorsOnly(!errorsOnly, { replace: true }));
  useShortcut({ keys: "c", label: "Copy the link", group }, () => copyAndSay(location.href, "Link"));
  const step = (by: number) => {
    const rows = outline.model.visible();
    const next = rows[Math.max(0, Math.min(rows.length - 1, outline.model.rowOf(node) + by))];
    if (next !== undefined) select(next);
  };
  useShortcut({ keys: "j", label: "Next step", group }, () => step(1));
  useShortcut({ keys: "k", label: "Previous step", group }, () => step(-1));

  const openFirst = () => {
    const test = stepFilter(outline, find, errorsOnly);
    const first = test ? outline.model.visible().find((at) => test(at)) : undefined;
    if (first !== undefined) select(first);
  };

  return (
    <div class="trace">
      <TraceHead project={project} trace={trace} outline={outline} neighbours={neighbours} />
      <div class="trace-body">
        <SplitPane
          name="trace" label="Width of the outline" initial={52} min={25} max={75}
          first={
            <Waterfall
              model={outline.model} version={version} start={outline.start} end={outline.end} now={outline.now} name={nameOf} tone={outline.tone}
              selected={node} onSelect={select}
            >
              <span class="trace-find">
                <TextInput
                  value={find} onInput={(text) => setFind(text, { replace: true })} icon="search" label="Find in the trace" placeholder="Find a step" inputRef={input}
                  onEnter={openFirst}
                />
              </span>
              {outline.errors > 0 && <Button kind="quiet" small pressed={errorsOnly} onClick={() => setErrorsOnly(!errorsOnly, { replace: true })}>Errors only</Button>}
              <span class="faint" role="status">{passed === null ? "" : plural(passed, "step")}</span>
            </Waterfall>
          }
          second={outlinePainted ? (
            <StepPanel
              trace={trace} outline={outline} node={node} tab={tab} tabHref={tabHref} stepHref={stepHref} onTab={(next) => navigateTo(tabHref(next), { replace: true })}
            />
          ) : <Skeleton lines={8} label="Loading the step" />}
        />
      </div>
    </div>
  );
}

export default function Trace({ params }: ScreenProps) {
  const { id: project } = useProject();
  const id = params.id ?? "";
  const { state, outline } = useTrace(project, id);
  const [deleted, setDeleted] = useState(false);
  const trace = state.data?.outline.trace_id ?? id;
  // A call's id leads to its step.
  useEffect(() => {
    if (state.data && trace !== id) navigate(paths.trace(project, trace), { replace: true, query: { span: id } });
  }, [trace, id]);
  useEffect(() => setDeleted(false), [id]);
  const onFinished = (job: BulkJob) => {
    if (job.action !== "delete") return;
    setDeleted(true);
    state.refetch();
  };
  const gone = deleted && state.error?.missing === true;
  useEffect(() => {
    if (gone) navigate(paths.traces(project), { replace: true });
  }, [gone]);
  return (
    <div class="trace-screen">
      <Loaded state={state} what="trace" lines={12}>{() => (outline && outline.count > 0 ? <TraceView key={trace} trace={trace} outline={outline} /> : null)}</Loaded>
      {!state.loading && <BulkJobs project={project} onFinished={onFinished} />}
    </div>
  );
}
