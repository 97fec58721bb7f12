// The tabs of one step, and of the trace: chat, payloads, costs.

import { useMemo } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { callUsage } from "../../api/calls";
import { type TraceChat, traceChat } from "../../api/traces";
import { formatCost } from "../../format/money";
import { NOTHING, formatCount } from "../../format/numbers";
import { type ChatMessage, ChatView } from "../../ui/content/chat_view";
import { JsonView } from "../../ui/content/json_view";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { Loaded } from "../../app/page";
import { type ModelUsage, modelUsage } from "../shared_calls/call_facts";
import { chatMessages, messageOf } from "../shared_calls/chat_messages";
import type { Outline } from "../shared_calls/outline";
import type { StepDetail } from "../shared_calls/step_detail";

export function useTraceChat(project: string, trace: string, running: boolean) {
  return useQuery<TraceChat>({
    key: ["trace chat", project, trace],
    read: (signal) => traceChat({ project_id: project, trace_id: trace }, signal),
    staleTime: running ? 2000 : 60_000,
    every: running ? 4000 : false,
  });
}

export function ChatTab({ chat, span, hrefOf }: { chat: ReturnType<typeof useTraceChat>; span: string | null; hrefOf: (id: string) => string }) {
  const messages = useMemo<ChatMessage[]>(() => (chat.data ? chatMessages(chat.data, hrefOf) : []), [chat.data, hrefOf]);
  if (!chat.data) {
    return chat.error
      ? <ErrorNote title="The chat could not be read" message={chat.error.message} requestId={chat.error.requestId} onRetry={chat.refetch} retrying={chat.refetching} />
      : <Skeleton lines={8} label="Loading the chat" />;
  }
  if (messages.length === 0) {
    return <Empty title="Nothing was said in this trace" icon="chat"><p>No step has messages of a model. In/Out shows what each step got and returned.</p></Empty>;
  }
  return <ChatView messages={messages} target={messageOf(messages, span)} />;
}

export function InOutTab({ step, onFilter }: { step: StepDetail; onFilter: (path: string, value: string) => void }) {
  return (
    <div class="trace-io">
      {step.exception && <pre class="call-exception" tabIndex={0} aria-label="Exception"><SafeText text={step.exception} /></pre>}
      <Payload title="Inputs" name="inputs" text={step.inputs} onFilter={onFilter} />
      <Payload title="Output" name="output" text={step.output} note={step.running ? "The step still runs." : null} onFilter={onFilter} />
      <Payload title="Attributes" name="attributes" text={step.attributes} small onFilter={onFilter} />
    </div>
  );
}

interface PayloadProps {
  title: string;
  name: string;
  text: string;
  note?: string | null;
  small?: boolean;
  onFilter: (path: string, value: string) => void;
}

function Payload({ title, name, text, note, small, onFilter }: PayloadProps) {
  const empty = text === "null" || text === "{}" || text === "";
  return (
    <section class={`trace-payload${small || empty ? " trace-payload-small" : ""}`}>
      <h3>{title}</h3>
      {empty ? <p class="faint">{note ?? "Nothing"}</p> : <div class="trace-json"><JsonView text={text} label={title} root={name} onFilter={onFilter} /></div>}
    </section>
  );
}

/** Adds the usage of several calls, by model. */
export function joinUsages(lists: readonly ModelUsage[][]): ModelUsage[] {
  const joined = new Map<string, ModelUsage>();
  for (const usage of lists.flat()) {
    const known = joined.get(usage.model);
    joined.set(usage.model, known ? {
      model: usage.model, input: known.input + usage.input, output: known.output + usage.output, total: known.total + usage.total,
      requests: known.requests + usage.requests, cost: known.cost === null && usage.cost === null ? null : (known.cost ?? 0) + (usage.cost ?? 0),
    } : usage);
  }
  return [...joined.values()].sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.total - a.total);
}

const COST_COLUMNS = [
  { key: "model", title: "Model", wide: true, cell: (row: ModelUsage) => <SafeText text={row.model} line /> },
  { key: "requests", title: "Requests", number: true, cell: (row: ModelUsage) => formatCount(row.requests) },
  { key: "input", title: "Input tokens", number: true, cell: (row: ModelUsage) => formatCount(row.input) },
  { key: "output", title: "Output tokens", number: true, cell: (row: ModelUsage) => formatCount(row.output) },
  { key: "cost", title: "Cost", number: true, cell: (row: ModelUsage) => (row.cost === null ? NOTHING : formatCost(row.cost)) },
];

/** The usage of a step with everything below it. */
export function CostsTab({ project, outline, node }: { project: string; outline: Outline; node: number }) {
  const id = outline.ids[node] ?? "";
  const isCall = outline.source(node) !== "span";
  const usage = useQuery({
    key: ["usage of call", project, id],
    enabled: isCall,
    read: async (signal) => {
      const { call_usage: found } = await callUsage({ project_id: project, call_ids: [id], include_costs: true }, signal);
      return joinUsages(Object.values(found).map((models) => Object.entries(models).map(([model, numbers]) => modelUsage(model, { ...numbers }))));
    },
  });
  if (!isCall) return <Empty title="This step is counted with its call" icon="chart"><p>{formatCount(outline.tokens(node))} tokens, {formatCost(outline.cost(node))}.</p></Empty>;
  return (
    <div class="trace-costs">
      <Loaded state={usage} what="usage" lines={4}>
        {(rows) => (rows.length === 0
          ? <Empty title="No model was used here" icon="chart"><p>Costs appear for steps that report token usage, or that stand above such steps.</p></Empty>
          : (
            <>
              <p class="soft">This step with everything below it.</p>
              <Table label="Usage by model" columns={COST_COLUMNS} rows={rows} rowKey={(row) => row.model} />
              <p class="trace-sum">Together {formatCount(rows.reduce((sum, row) => sum + row.total, 0))} tokens, {formatCost(rows.reduce((sum, row) => sum + (row.cost ?? 0), 0))}</p>
            </>
          ))}
      </Loaded>
    </div>
  );
}
