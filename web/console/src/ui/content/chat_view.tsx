// A conversation: messages by role, tool calls with their results, reasoning, images from blobs.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { lookup } from "../../format/lookup.ts";
import { formatCost } from "../../format/money.ts";
import { formatDuration } from "../../format/durations.ts";
import { formatCount, plural } from "../../format/numbers.ts";
import { cutText } from "../../format/truncate.ts";
import { Button } from "../button.tsx";
import { classes } from "../class_names.ts";
import { CopyButton } from "../copy_button.tsx";
import { Icon } from "../icons.tsx";
import { LazyMarkdown } from "../lazy.tsx";
import { MeasuredList } from "../list/measured_list.tsx";
import { SafeText } from "../safe_text.tsx";
import { Badge, Status, type Tone } from "../status.tsx";
import { JsonView } from "./json_view.tsx";

export type ChatPart =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  /** JSON as text. */
  | { kind: "json"; text: string; label?: string }
  | { kind: "tool_call"; id?: string; name: string; argumentsText: string; resultText?: string; status?: string; durationMs?: number | null }
  | { kind: "tool_result"; id?: string; name?: string; text: string; status?: string }
  /** `blobUrl` is a blob: address that the owner made; images at other addresses are only named. */
  | { kind: "image"; blobUrl?: string; address?: string; text: string }
  | { kind: "audio"; blobUrl?: string; text: string }
  | { kind: "file"; name: string; href?: string; bytes?: number };

export interface ChatMessage {
  id: string;
  role: string;
  /** The name of the agent, tool or user. */
  name?: string | null;
  parts: ChatPart[];
  tokens?: number | null;
  cost?: number | null;
  durationMs?: number | null;
  status?: string;
  /** The address of the span or call behind the message. */
  href?: string;
}

export interface ChatViewProps {
  messages: ChatMessage[];
  label?: string;
  /** Controls of the owner below a message, such as feedback; null for none. */
  actions?: (message: ChatMessage) => ComponentChildren;
  /** Scrolls to this message. */
  target?: string | null;
}

const TONES = lookup<Tone>({ user: "info", assistant: "model", system: "neutral", developer: "neutral", tool: "tool", agent: "agent" });
const LONG_TEXT = 8000;
const SHORT_TEXT = 3000;

export function ChatView({ messages, label = "Conversation", actions, target = null }: ChatViewProps) {
  const place = target === null ? -1 : messages.findIndex(({ id }) => id === target);
  return (
    <MeasuredList
      label={label} count={messages.length} class="ui-chat" target={place < 0 ? null : place}
      row={(index) => {
        const message = messages[index];
        return message ? <Message message={message} actions={actions} /> : null;
      }}
    />
  );
}

function Message({ message, actions }: { message: ChatMessage; actions: ChatViewProps["actions"] }) {
  const role = message.role.toLowerCase();
  const text = message.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  const foot = actions?.(message);
  return (
    <article class={classes("ui-message", `ui-message-${TONES[role] ? role : "other"}`)}>
      <header class="ui-message-head">
        <Badge tone={TONES[role] ?? "neutral"}><SafeText text={message.role} line /></Badge>
        {message.name && <strong><SafeText text={message.name} line /></strong>}
        {message.status && <Status state={message.status} />}
        <span class="ui-grow" />
        {message.durationMs != null && <span class="faint">{formatDuration(message.durationMs)}</span>}
        {message.tokens != null && <span class="faint">{formatCount(message.tokens)} tok</span>}
        {message.cost != null && <span class="faint">{formatCost(message.cost)}</span>}
        {text !== "" && <CopyButton text={text} label="Copy the message" />}
        {message.href !== undefined && <Button kind="quiet" small icon="external" label="Open the span" href={message.href} />}
      </header>
      <div class="ui-message-body">
        {message.parts.length === 0 && <span class="faint">{message.status === "error" ? "Failed without an answer" : "No content"}</span>}
        {message.parts.map((part, index) => <Part key={index} part={part} plain={role === "tool"} />)}
      </div>
      {foot != null && foot !== false && <footer class="ui-message-foot">{foot}</footer>}
    </article>
  );
}

function Part({ part, plain }: { part: ChatPart; plain: boolean }) {
  switch (part.kind) {
    case "text":
      return <LongText text={part.text} plain={plain} />;
    case "reasoning":
      return (
        <details class="ui-details">
          <summary>Reasoning <span class="faint">{plural(part.text.length, "character")}</span></summary>
          <LongText text={part.text} plain={false} />
        </details>
      );
    case "json":
      return <div class="ui-message-json"><JsonView text={part.text} label={part.label ?? "content"} /></div>;
    case "tool_call":
      return <ToolCall part={part} />;
    case "tool_result":
      return <ToolText label={part.name ? `Result of ${part.name}` : "Result"} text={part.text} status={part.status} />;
    case "image":
      return part.blobUrl?.startsWith("blob:")
        ? <img class="ui-message-image" src={part.blobUrl} alt={part.text} />
        : <span class="ui-file"><Icon name="eye" /> Image: <SafeText text={part.text || part.address || "without a description"} line /></span>;
    case "audio":
      return part.blobUrl?.startsWith("blob:")
        ? <audio controls src={part.blobUrl} aria-label={part.text} />
        : <span class="ui-file"><Icon name="play" /> Audio: <SafeText text={part.text} line /></span>;
    case "file":
      return <span class="ui-file"><Icon name="download" />{part.href ? <a href={part.href} download><SafeText text={part.name} line /></a> : <SafeText text={part.name} line />}</span>;
  }
}

/** The start of a long text, and all of it on demand. */
function LongText({ text, plain }: { text: string; plain: boolean }) {
  const [open, setOpen] = useState(false);
  const cut = text.length > LONG_TEXT && !open;
  const shown = cut ? cutText(text, SHORT_TEXT) : text;
  return (
    <>
      {plain ? <pre class="ui-plain"><SafeText text={shown} /></pre> : <LazyMarkdown text={shown} />}
      {cut && <Button kind="quiet" small icon="chevronDown" onClick={() => setOpen(true)}>{`Show all ${plural(text.length, "character")}`}</Button>}
    </>
  );
}

function ToolCall({ part }: { part: Extract<ChatPart, { kind: "tool_call" }> }) {
  return (
    <details class="ui-details ui-tool">
      <summary>
        <Icon name="tool" class="ui-tone-tool" />
        <strong><SafeText text={part.name} line /></strong>
        <code class="truncate"><SafeText text={cutText(part.argumentsText, 160)} line /></code>
        {part.status && <Status state={part.status} />}
        {part.durationMs != null && <span class="faint">{formatDuration(part.durationMs)}</span>}
      </summary>
      <ToolText label="Arguments" text={part.argumentsText} />
      {part.resultText !== undefined && <ToolText label="Result" text={part.resultText} />}
    </details>
  );
}

function ToolText({ label, text, status }: { label: string; text: string; status?: string | undefined }) {
  const json = /^\s*[[{]/.test(text);
  return (
    <div class="ui-tool-text">
      <div class="ui-tool-label"><SafeText text={label} line />{status && <Status state={status} />}</div>
      {json ? <div class="ui-message-json"><JsonView text={text} label={label} /></div> : <LongText text={text} plain />}
    </div>
  );
}
