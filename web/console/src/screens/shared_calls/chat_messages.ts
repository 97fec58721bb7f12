// The chat of a trace as the messages that are shown.

import type { ChatMessage as ServerMessage, TraceChat } from "../../api/traces";
import type { ChatMessage, ChatPart } from "../../ui/content/chat_view";
import { modelLabel } from "./call_facts";

const OK = new Set(["OK", "UNSET", "", null, undefined]);

function failed(status: string | null | undefined): boolean {
  return !OK.has(status);
}

function files(refs: readonly string[] | undefined): ChatPart[] {
  return (refs ?? []).map((name) => ({ kind: "file", name }));
}

function parts(message: ServerMessage): { role: string; parts: ChatPart[] } & Partial<ChatMessage> | null {
  const { user_message: user, assistant_message: assistant, tool_call: tool, agent_start: start, context_compacted: compacted } = message;
  if (user) return { role: "user", parts: [{ kind: "text", text: user.text }, ...files(user.content_refs)] };
  if (assistant) {
    const list: ChatPart[] = [];
    if (assistant.reasoning_content) list.push({ kind: "reasoning", text: assistant.reasoning_content });
    if (assistant.text !== "") list.push({ kind: "text", text: assistant.text });
    const tokens = (assistant.input_tokens ?? 0) + (assistant.output_tokens ?? 0);
    return {
      role: "assistant", name: assistant.model && modelLabel(assistant.model), parts: [...list, ...files(assistant.content_refs)],
      tokens: tokens > 0 ? tokens : null, cost: assistant.total_cost_usd, durationMs: assistant.duration_ms,
    };
  }
  if (tool) {
    const status = failed(tool.status) ? { status: "error" } : {};
    return {
      role: "tool",
      parts: [{
        kind: "tool_call", name: tool.tool_name ?? "tool", argumentsText: tool.tool_arguments ?? "", durationMs: tool.duration_ms, ...status,
        ...(tool.tool_result === null ? {} : { resultText: tool.tool_result }),
      }, ...files(tool.content_refs)],
    };
  }
  if (start) {
    const list: ChatPart[] = start.system_instructions ? [{ kind: "text", text: start.system_instructions }] : [];
    if (start.tool_definitions) list.push({ kind: "json", text: start.tool_definitions, label: "Tools" });
    // An agent that says nothing at its start is only a line without content.
    return list.length === 0 ? null : { role: "system", name: message.agent_name, parts: list };
  }
  if (compacted) return { role: "system", name: "Context compacted", parts: [{ kind: "text", text: compacted.compaction_summary ?? "" }] };
  return message.agent_handoff ? { role: "agent", name: "Hand-off", parts: [{ kind: "json", text: JSON.stringify(message.agent_handoff) }] } : null;
}

/** The span behind a shown message, by its id. */
export function spanOf(message: Pick<ChatMessage, "id">): string | null {
  return message.id.slice(message.id.indexOf(" ") + 1) || null;
}

/** Returns the messages of a trace. Their ids are a number and the span: `3 59efaf2771ac2ba7`. */
export function chatMessages(chat: TraceChat, hrefOf: (span: string) => string | undefined): ChatMessage[] {
  const shown: ChatMessage[] = [];
  chat.messages.forEach((message, index) => {
    const content = parts(message);
    if (!content) return;
    const link = message.span_id ? hrefOf(message.span_id) : undefined;
    // A tool shows its own state, and the start of an agent does not tell how it ended.
    const isError = message.assistant_message !== null && failed(message.status_code);
    shown.push({
      id: `${index} ${message.span_id ?? ""}`, ...content,
      ...(isError ? { status: "error" } : {}), ...(link ? { href: link } : {}),
    });
  });
  return shown;
}

/** Returns the id of the first message of a span, or null. */
export function messageOf(messages: readonly ChatMessage[], span: string | null): string | null {
  if (span === null) return null;
  return messages.find((message) => spanOf(message) === span)?.id ?? null;
}
