// Sections of the gallery: one for each group of components.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

import { LAST_DAY, type TimeRange } from "../../src/format/time_range.ts";
import { Button, ButtonGroup } from "../../src/ui/button.tsx";
import { CodeEditor } from "../../src/ui/code_editor.tsx";
import { Combobox } from "../../src/ui/combobox.tsx";
import { CopyButton } from "../../src/ui/copy_button.tsx";
import { ConfirmDialog, Dialog } from "../../src/ui/dialog.tsx";
import { Empty, ErrorNote, Skeleton, Spinner } from "../../src/ui/feedback.tsx";
import { Field } from "../../src/ui/field.tsx";
import { FilterInput } from "../../src/ui/filter_input.tsx";
import { ICON_NAMES, Icon } from "../../src/ui/icons.tsx";
import { Checkbox, NumberInput, RadioGroup, SecretInput, Select, Switch, TextArea, TextInput } from "../../src/ui/inputs.tsx";
import { Menu } from "../../src/ui/menu.tsx";
import { SafeText } from "../../src/ui/safe_text.tsx";
import { SplitPane } from "../../src/ui/split_pane.tsx";
import { Badge, Status } from "../../src/ui/status.tsx";
import { Breadcrumbs, Definitions, Pager, Table } from "../../src/ui/table.tsx";
import { Tabs } from "../../src/ui/tabs.tsx";
import { TimeRangePicker } from "../../src/ui/time_range.tsx";
import { callAt } from "./data.ts";

export function Section({ title, height, children }: { title: string; height?: number; children: ComponentChildren }) {
  return (
    <section class="gallery-section" aria-label={title}>
      <h2>{title}</h2>
      <div class={height ? "gallery-box" : "gallery-flow"} style={height ? { height: `${height}px` } : {}}>{children}</div>
    </section>
  );
}

export function Basics() {
  return (
    <>
      <Section title="Buttons">
        <Button kind="primary" icon="play">Start</Button><Button icon="save">Save</Button><Button kind="quiet">Quiet</Button><Button kind="danger" icon="trash">Delete</Button>
        <Button disabled>Disabled</Button><Button kind="primary" disabled>Disabled</Button><Button busy>Busy</Button><Button kind="primary" busy>Saving</Button><Button icon="gear" label="Settings" />
        <Button pressed>Pressed</Button><Button href="#x" icon="link">Link</Button><CopyButton text="x" /><CopyButton text="x">Copy id</CopyButton>
        <ButtonGroup label="Size"><Button small pressed>S</Button><Button small>M</Button><Button small>L</Button></ButtonGroup>
      </Section>
      <Section title="States">
        {["success", "error", "running", "descendant_error", "queued", "retrying", "CANCELLED", "unknown"].map((state) => <Status key={state} state={state} />)}
        {(["neutral", "ok", "error", "warning", "info", "agent", "tool", "model"] as const).map((tone) => <Badge key={tone} tone={tone}>{tone}</Badge>)}
        <Spinner /> <SafeText text={"abc\u202Etxt.exe\u0000"} />
      </Section>
      <Section title="Icons">{ICON_NAMES.map((name) => <span key={name} class="gallery-icon"><Icon name={name} /> {name}</span>)}</Section>
      <Section title="Messages">
        <ErrorNote title="The calls could not be loaded" message="Field nonsense is not allowed. Use a column of the call." requestId="req_01M7HYQK" onRetry={() => undefined} />
        <Skeleton lines={4} />
        <Empty title="No traces yet" icon="layers" actions={<Button kind="primary">Create a key</Button>} snippets={[{ title: "Python", text: 'import weave\nweave.init("acme/support")' }]}>
          Record your first trace with an SDK; it appears here at once.
        </Empty>
      </Section>
    </>
  );
}

export function Forms() {
  const [text, setText] = useState("support");
  const [number, setNumber] = useState<number | null>(3);
  const [checked, setChecked] = useState(true);
  const [json, setJson] = useState('{\n  "model": "gpt-4o",\n  "temperature": 0.5,\n}');
  const [choice, setChoice] = useState("b");
  const [filter, setFilter] = useState('status:error latency:>2s tenant:t7 "refund"');
  return (
    <>
      <Section title="Filter">
        <FilterInput value={filter} onApply={setFilter} sources={{ attributes: [{ path: "tenant", count: 903 }], values: (field) => (field === "op" ? [{ value: "chat", count: 41 }, { value: "my op" }] : undefined) }} />
      </Section>
      <Section title="Wrong filter"><FilterInput value="latency:>2" onApply={setFilter} /></Section>
      <Section title="Inputs">
        <div class="gallery-form">
          <Field label="Name" hint="Letters and digits" required><TextInput value={text} onInput={setText} /></Field>
          <Field label="Search"><TextInput type="search" icon="search" value="" onInput={setText} placeholder="Search" /></Field>
          <Field label="Address" error="Write an https address."><TextInput value="ftp://x" onInput={setText} /></Field>
          <Field label="Limit"><NumberInput value={number} onInput={setNumber} unit="requests/min" min={0} /></Field>
          <Field label="Role"><Select value={choice} onChange={setChoice} options={[{ value: "a", text: "Viewer" }, { value: "b", text: "Member" }, { value: "c", text: "Admin" }]} /></Field>
          <Field label="Secret"><SecretInput value="s3cret" onInput={() => undefined} /></Field>
          <Field label="Model"><Combobox value="gpt-4o" options={["gpt-4o", "gpt-4o-mini", "qwen3"].map((value) => ({ value, note: "served" }))} onChange={() => undefined} /></Field>
          <Field label="Disabled"><TextInput value="fixed" onInput={setText} disabled /></Field>
          <Checkbox checked={checked} onChange={setChecked} hint="Also sends mail">Notify</Checkbox>
          <Checkbox checked={false} mixed onChange={setChecked}>Some</Checkbox>
          <Switch checked={checked} onChange={setChecked}>Live</Switch>
          <Switch checked={false} onChange={setChecked}>Off</Switch>
          <RadioGroup label="Reward" value={choice} onChange={setChoice} options={[{ value: "a", text: "Feedback", hint: "Thumbs of people" }, { value: "b", text: "Scorer" }]} />
          <Field label="Note"><TextArea value="Two\nlines" onInput={setText} /></Field>
        </div>
      </Section>
      <Section title="Code"><Field label="Parameters"><CodeEditor value={json} onInput={setJson} rows={6} /></Field></Section>
    </>
  );
}

export function Layers() {
  const [open, setOpen] = useState<string | null>(null);
  const [range, setRange] = useState<TimeRange>(LAST_DAY);
  const [tab, setTab] = useState("chat");
  const rows = useMemo(() => Array.from({ length: 5 }, (_, index) => callAt(index)), []);
  return (
    <>
      <Section title="Layers">
        <Button onClick={() => setOpen("dialog")}>Open dialog</Button>
        <Button kind="danger" onClick={() => setOpen("confirm")}>Delete 1 391 calls…</Button>
        <Menu label="Actions" items={[{ text: "Open", icon: "external", href: "#open", note: "Enter" }, { text: "Copy link", icon: "link", onSelect: () => undefined }, { kind: "line" }, { kind: "title", text: "Sort" }, { text: "Newest", checked: true }, { text: "Oldest", checked: false }, { kind: "line" }, { text: "Delete", icon: "trash", danger: true }]}>Actions</Menu>
        <Menu label="More" items={[{ text: "One" }]} />
        <TimeRangePicker value={range} onChange={setRange} now={Date.UTC(2026, 10, 18, 9)} onZone={() => undefined} />
        <Dialog open={open === "dialog"} onClose={() => setOpen(null)} title="New project" onSubmit={() => setOpen(null)} actions={<><Button onClick={() => setOpen(null)}>Cancel</Button><Button kind="primary" type="submit">Create</Button></>}>
          <Field label="Name" required><TextInput value="" onInput={() => undefined} /></Field>
        </Dialog>
        <ConfirmDialog open={open === "confirm"} onClose={() => setOpen(null)} onConfirm={() => setOpen(null)} title="Delete 1 391 calls?" action="Delete" count={1391}>
          <p>1 391 calls of acme/support that match status:error, with their feedback.</p>
        </ConfirmDialog>
      </Section>
      <Section title="Navigation">
        <Breadcrumbs items={[{ text: "acme", href: "#" }, { text: "support", href: "#" }, { text: "Traces" }]} />
        <Pager from={1} to={50} total={1391} onNext={() => undefined} />
      </Section>
      <Section title="Tabs" height={160}>
        <Tabs label="Views" open={tab} onOpen={setTab} tabs={[{ name: "chat", text: "Chat" }, { name: "io", text: "In/Out" }, { name: "feedback", text: "Feedback", count: 3 }, { name: "raw", text: "Raw" }]}><p class="gallery-pad">Content of {tab}</p></Tabs>
      </Section>
      <Section title="Table">
        <Table label="Calls" rows={rows} rowKey={({ id }) => id} rowHref={({ id }) => `#${id}`} columns={[{ key: "name", title: "Name", cell: ({ name }) => name, wide: true }, { key: "status", title: "Status", cell: ({ status }) => <Status state={status} /> }, { key: "tokens", title: "Tokens", number: true, cell: ({ tokens }) => tokens }]} />
        <Definitions items={[["Trainer", "gpu-1"], ["Step", "82 of 120"]]} />
      </Section>
      <Section title="Split pane" height={120}><SplitPane name="gallery" label="Width of the list" first={<p class="gallery-pad">First</p>} second={<p class="gallery-pad">Second</p>} /></Section>
    </>
  );
}
