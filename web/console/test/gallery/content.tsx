// Sections of the gallery with lists, content and plots.

import { useCallback, useMemo, useState } from "preact/hooks";

import { formatCost } from "../../src/format/money.ts";
import { formatDuration } from "../../src/format/durations.ts";
import { formatCount } from "../../src/format/numbers.ts";
import { formatClockTime } from "../../src/format/time.ts";
import { ChatView, type ChatMessage } from "../../src/ui/content/chat_view.tsx";
import { DiffView } from "../../src/ui/content/diff_view.tsx";
import { JsonView } from "../../src/ui/content/json_view.tsx";
import { MarkdownView } from "../../src/ui/content/markdown_view.tsx";
import { type ColumnLayout, type GridColumn } from "../../src/ui/list/columns.ts";
import { ColumnsMenu } from "../../src/ui/list/columns_menu.tsx";
import { DataGrid } from "../../src/ui/list/data_grid.tsx";
import { Waterfall } from "../../src/ui/list/waterfall.tsx";
import { Strip } from "../../src/ui/plots/strip.tsx";
import { Button } from "../../src/ui/button.tsx";
import { LazyDiff, LazyPlot } from "../../src/ui/lazy.tsx";
import { SafeText } from "../../src/ui/safe_text.tsx";
import { Status, type Tone } from "../../src/ui/status.tsx";
import { type Call, DEEP_JSON, HOSTILE, MARKDOWN, bigJson, callAt, trace } from "./data.ts";
import { Section } from "./parts.tsx";

const COLUMNS: GridColumn<Call>[] = [
  { key: "time", title: "Time", width: 90, cell: ({ time }) => formatClockTime(time), sortable: true, fixed: true },
  { key: "name", title: "Name", width: 160, cell: ({ name }) => <SafeText text={name} line />, sortable: true },
  { key: "status", title: "Status", width: 110, cell: ({ status }) => <Status state={status} /> },
  { key: "latency", title: "Latency", width: 90, number: true, sortable: true, cell: ({ latency }) => formatDuration(latency) },
  { key: "tokens", title: "Tokens", width: 80, number: true, cell: ({ tokens }) => formatCount(tokens) },
  { key: "cost", title: "Cost", width: 90, number: true, cell: ({ cost }) => formatCost(cost) },
  { key: "user", title: "User", width: 70, cell: ({ user }) => user },
  { key: "input", title: "Input", width: 300, cell: ({ input }) => <SafeText text={input} line /> },
  { key: "id", title: "Id", width: 120, optional: true, cell: ({ id }) => id },
];

export function Grid({ count = 1_000_000, rowHeight = 28, height = 320 }: { count?: number; rowHeight?: number; height?: number }) {
  const [layout, setLayout] = useState<ColumnLayout>({});
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set(["call-1"]));
  const [sort, setSort] = useState({ key: "time", descending: true });
  return (
    <Section title={`Grid of ${formatCount(count)} rows`} height={height}>
      <div class="gallery-bar"><ColumnsMenu columns={COLUMNS} layout={layout} onLayout={setLayout} /><span>{formatCount(selection.size)} selected</span></div>
      <div class="gallery-rest">
        <DataGrid label="Calls" columns={COLUMNS} count={count} rowAt={callAt} rowKey={({ id }) => id} rowHref={({ id }) => `#${id}`} rowHeight={rowHeight} layout={layout} onLayout={setLayout} selection={selection} onSelect={setSelection} sort={sort} onSort={setSort} />
      </div>
    </Section>
  );
}

export function Trace({ count = 10_000, height = 420 }: { count?: number; height?: number }) {
  const { model, start, end } = useMemo(() => trace(count), [count]);
  const [selected, setSelected] = useState<number | null>(3);
  const [version, setVersion] = useState(0);
  const tone = useCallback((node: number): Tone => (node % 53 === 0 ? "error" : (["agent", "model", "tool", "info"] as const)[node % 4]!), []);
  const name = useCallback((node: number) => `${["planner", "chat gpt-4o", "tool search", "rerank"][node % 4]} ${node}`, []);
  const all = (open: boolean) => {
    model.setAllOpen(open);
    setVersion(version + 1);
  };
  return (
    <Section title={`Trace of ${formatCount(count)} spans`} height={height}>
      <Waterfall model={model} version={version} start={start} end={end} now={60_000} name={name} tone={tone} selected={selected} onSelect={setSelected}>
        <Button small onClick={() => all(true)}>Open all</Button><Button small onClick={() => all(false)}>Close all</Button>
      </Waterfall>
    </Section>
  );
}

const MESSAGES: ChatMessage[] = [
  { id: "1", role: "system", parts: [{ kind: "text", text: "You help customers of a shop." }] },
  { id: "2", role: "user", name: "ada", parts: [{ kind: "text", text: "Where is order 17?" }] },
  { id: "3", role: "assistant", name: "planner", tokens: 412, cost: 0.0265, durationMs: 2100, parts: [
    { kind: "reasoning", text: "The order must be looked up." }, { kind: "tool_call", name: "search", argumentsText: '{"order":17,"big":12345678901234567890}', resultText: '{"hits":[1,2,3]}', status: "success", durationMs: 810 },
    { kind: "text", text: MARKDOWN } ] },
  { id: "4", role: "tool", name: "search", status: "error", parts: [{ kind: "tool_result", text: "Timeout after 30 s" }, { kind: "image", address: "https://example.com/track.png", text: "a map" }] },
];

export function Contents() {
  const before = "one\ntwo\nthree\n" + Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n") + "\nThe capital is Madrid.\nend";
  const after = before.replace("two", "2").replace("Madrid", "Barcelona") + "\nmore";
  return (
    <>
      <Section title="Markdown"><MarkdownView text={MARKDOWN} /></Section>
      <Section title="Chat" height={520}><ChatView messages={MESSAGES} actions={() => <Button small kind="quiet" icon="thumbUp" label="Good" />} /></Section>
      <Section title="JSON" height={360}><JsonView label="inputs" root="inputs" text={'{"messages":[{"role":"user","content":"Where is order 17?\\nIt was due yesterday, and this line is long enough to be shown below."}],"temperature":0.50,"big":12345678901234567890,"none":null,"ok":true,"empty":{},"list":[1,2.0,3e5],"bidi":"abc\u202etxt"}'} onFilter={() => undefined} /></Section>
      <Section title="Difference"><LazyDiff before={before} after={after} beforeLabel="guide:v1" afterLabel="guide:v2" /></Section>
      <Section title="Difference inline"><DiffView before={"The capital is Madrid."} after={"The capital is Barcelona."} layout="inline" /></Section>
    </>
  );
}

const FIRST_STEP = [1];
const FIRST_LOSS = [{ name: "loss", values: [2.5] }];

export function Plots() {
  const x = useMemo(() => Array.from({ length: 120 }, (_, index) => index), []);
  const [zoom, setZoom] = useState<[number, number] | null>(null);
  const loss = useMemo(() => [{ name: "train", values: x.map((step) => 3 * Math.exp(-step / 40) + ((step * 7) % 5) / 20) }, { name: "validation", dashed: true, values: x.map((step) => (step % 10 === 0 ? 3.1 * Math.exp(-step / 45) : null)) }], [x]);
  const rate = useMemo(() => [{ name: "learning rate", tone: "ok", values: x.map((step) => Math.min(step / 20, 1) * 3e-3) }], [x]);
  const buckets = useMemo(() => Array.from({ length: 96 }, (_, index) => ({ start: Date.UTC(2026, 10, 17) + index * 900_000, count: Math.round(60 + 50 * Math.sin(index / 9) + ((index * 13) % 20)), errors: index % 9 === 0 ? 8 : index % 4, line: 400 + ((index * 53) % 900) })), []);
  return (
    <>
      <Section title="Strip"><Strip label="Calls" buckets={buckets} width={900_000} onZoom={() => undefined} /></Section>
      <Section title="Plots">
        <div class="gallery-plots">
          <LazyPlot title="loss" x={x} series={loss} group="g" zoom={zoom} onZoom={setZoom} />
          <LazyPlot title="learning rate" x={x} series={rate} group="g" zoom={zoom} onZoom={setZoom} />
          <LazyPlot title="first step" nameX="step" x={FIRST_STEP} series={FIRST_LOSS} />
        </div>
      </Section>
    </>
  );
}

/** All hostile texts, or one part of the page: the number of a text, `chat` or `json`. */
export function Hostile({ only }: { only?: string | undefined }) {
  const shown = (name: string | number) => only === undefined || only === String(name);
  const messages: ChatMessage[] = HOSTILE.map((text, index) => ({ id: String(index), role: text.slice(0, 40), name: text.slice(0, 200), parts: [{ kind: "text", text }, { kind: "tool_call", name: text.slice(0, 100), argumentsText: text }, { kind: "image", address: text, text, blobUrl: text }, { kind: "file", name: text.slice(0, 50) }] }));
  return (
    <>
      {HOSTILE.map((text, index) => shown(index) && (
        <Section key={index} title={`Hostile ${index}`}>
          <MarkdownView text={text} /><SafeText text={text.slice(0, 2000)} /><DiffView before={text.slice(0, 3000)} after={`${text.slice(0, 3000)}!`} layout="inline" />
        </Section>
      ))}
      {shown("chat") && <Section title="Hostile chat" height={400}><ChatView messages={messages} /></Section>}
      {shown("json") && <><Section title="Hostile JSON" height={300}><JsonView label="hostile" text={JSON.stringify(Object.fromEntries(HOSTILE.map((text) => [text.slice(0, 500), text])))} /></Section>
      <Section title="Deep JSON" height={200}><JsonView label="deep" text={DEEP_JSON} /></Section>
      <Section title="No JSON" height={200}><JsonView label="broken" text={"<script>window.hacked=1</script>"} /></Section>
      <Section title="Unfinished JSON" height={200}><JsonView label="unfinished" text={'{"a": [1, 2, {"b": "cut of'} /></Section></>}
    </>
  );
}

export function BigJson({ bytes }: { bytes: number }) {
  const text = useMemo(() => bigJson(bytes), [bytes]);
  return <Section title="Large JSON" height={400}><JsonView label="large" text={text} /></Section>;
}
