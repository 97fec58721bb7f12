// The right side: the chosen step with its tabs and actions.

import { useCallback, useState } from "preact/hooks";

import { href, navigateTo, paths } from "../../app/location";
import { useMe, useRights } from "../../app/me";
import { Hidden } from "../../app/not_found";
import { hasScreen } from "../../app/routes";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatCount } from "../../format/numbers";
import { includeValue } from "../../query/edit";
import { Button } from "../../ui/button";
import { JsonView } from "../../ui/content/json_view";
import { CopyButton } from "../../ui/copy_button";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { lazyView } from "../../ui/lazy";
import { Menu } from "../../ui/menu";
import { Tabs } from "../../ui/tabs";
import { type ActionName, CallAction } from "../shared_calls/call_action";
import { listSearch } from "../shared_calls/neighbours";
import type { Outline } from "../shared_calls/outline";
import { useStep } from "../shared_calls/step_detail";
import { StepName } from "../shared_calls/step_name";
import { useFeedback } from "../shared_calls/feedback_data";
import { NoteDialog, Reactions } from "../shared_calls/reactions";
import { FeedbackTab } from "./feedback_tab";
import { ChatTab, CostsTab, InOutTab, useTraceChat } from "./tabs";

const AnnotateDialog = lazyView<{ project: string; callId: string; onClose: () => void }>(
  () => import("./annotate").then((part) => part.AnnotateDialog), () => null,
);

export const TAB_NAMES = ["chat", "io", "feedback", "costs", "raw"] as const;
export type TabName = (typeof TAB_NAMES)[number];

export interface StepPanelProps {
  trace: string;
  outline: Outline;
  node: number;
  /** Null: the chat, if something was said. */
  tab: TabName | null;
  tabHref: (tab: TabName) => string;
  stepHref: (id: string) => string;
  onTab: (tab: TabName) => void;
}

export function StepPanel({ trace, outline, node, tab: chosen, tabHref, stepHref, onTab }: StepPanelProps) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const me = useMe();
  const id = outline.ids[node] ?? null;
  const step = useStep(project, trace, id, outline.source(node));
  const callId = outline.source(node) === "span" ? null : id;
  const feedback = useFeedback(project, callId);
  const chat = useTraceChat(project, trace, outline.running > 0);
  const silent = chat.data !== undefined && chat.data.messages.length === 0;
  const tab: TabName = chosen ?? (silent ? "io" : "chat");
  const [open, setOpen] = useState<ActionName | "note" | "annotate" | null>(null);
  const playground = hasScreen("playground") && callId ? href(paths.playground(project), { from: callId }) : null;
  useShortcut({ keys: "p", label: "Open the step in the playground", group: "Trace" }, () => playground && navigateTo(playground), playground !== null);
  useShortcut({ keys: "n", label: "Write a note", group: "Trace" }, () => setOpen("note"), write && callId !== null);
  const filterBy = useCallback((path: string, value: string) => {
    const search = new URLSearchParams(listSearch(project));
    search.set("q", includeValue("", path, value));
    navigateTo(`${href(paths.traces(project))}?${search.toString()}`);
  }, [project]);
  const tabs = [
    { name: "chat" as const, text: "Chat", href: tabHref("chat") },
    { name: "io" as const, text: "In/Out", href: tabHref("io") },
    { name: "feedback" as const, text: "Feedback", href: tabHref("feedback"), count: feedback.data?.length || null },
    { name: "costs" as const, text: "Costs", href: tabHref("costs") },
    { name: "raw" as const, text: "Raw", href: tabHref("raw") },
  ];
  const rows = feedback.data ?? [];
  const close = () => setOpen(null);
  const missing = (
    <>
      {step.error?.missing && <Hidden what="step" inner />}
      {step.error && !step.error.missing && <ErrorNote title="The step could not be read" message={step.error.message} requestId={step.error.requestId} onRetry={step.refetch} retrying={step.refetching} />}
      {!step.error && <Skeleton lines={8} label="Loading the step" />}
    </>
  );
  return (
    <section class="trace-panel" aria-label="Step">
      <div class="step-head">
        <h2><StepName name={outline.name(node)} kind={outline.kind(node)} status={outline.status(node)} /></h2>
        <span class="step-facts">
          <span>{Number.isNaN(outline.end[node]!) ? "running" : formatDuration(outline.end[node]! - outline.start[node]!)}</span>
          {outline.tokens(node) !== null && <span>{formatCount(outline.tokens(node))} tok</span>}
          {outline.cost(node) !== null && <span>{formatCost(outline.cost(node))}</span>}
        </span>
        {id && <CopyButton text={id} label="Copy the id of the step" />}
        <span class="ui-grow" />
        {callId && (
          <span class="step-actions">
            <Reactions project={project} callId={callId} rows={rows} write={write} />
            {write && <Button small icon="edit" onClick={() => setOpen("note")}>Note</Button>}
            {write && <Button small icon="tag" onClick={() => setOpen("annotate")}>Annotate</Button>}
            {playground && <Button small icon="flask" href={playground}>Playground</Button>}
            {write && (
              <Menu
                small align="end" label="More actions"
                items={[
                  { text: "Add to a dataset…", icon: "table", onSelect: () => setOpen("dataset") },
                  { text: "Add to a queue…", icon: "list", onSelect: () => setOpen("queue") },
                  { text: "Run scorers…", icon: "star", onSelect: () => setOpen("score") },
                  { kind: "line" },
                  { text: "Delete with what is below…", icon: "trash", danger: true, onSelect: () => setOpen("delete") },
                ]}
              />
            )}
          </span>
        )}
      </div>
      <Tabs label="Step" tabs={tabs} open={tab} onOpen={onTab}>
        {tab === "chat" && <ChatTab chat={chat} span={id} hrefOf={stepHref} />}
        {tab === "io" && (step.data ? <InOutTab step={step.data} onFilter={filterBy} /> : missing)}
        {tab === "feedback" && (callId === null
          ? <p class="trace-note">Feedback belongs to calls. This step is only a span of an agent.</p>
          : feedback.error
            ? <ErrorNote title="The feedback could not be read" message={feedback.error.message} requestId={feedback.error.requestId} onRetry={feedback.refetch} retrying={feedback.refetching} />
            : feedback.data ? <FeedbackTab project={project} callId={callId} rows={rows} write={write} me={me.data?.id} /> : <Skeleton lines={3} label="Loading feedback" />)}
        {tab === "costs" && <CostsTab project={project} outline={outline} node={node} />}
        {tab === "raw" && (step.data ? <JsonView text={step.data.raw} label="Raw" /> : missing)}
      </Tabs>
      {callId && open === "note" && <NoteDialog project={project} callId={callId} onClose={close} />}
      {callId && open === "annotate" && <AnnotateDialog project={project} callId={callId} onClose={close} />}
      {callId && open !== null && open !== "note" && open !== "annotate" && (
        <CallAction name={open} project={project} target={{ kind: "ids", ids: [callId] }} onClose={close} />
      )}
    </section>
  );
}
