// Conversations in the inputs and outputs of calls.

import type { ChatMessage, ChatPart } from "../../ui/content/chat_view";
import { isRecord, valueLines } from "./value_text";

/** A message as chat APIs write it. */
export interface RawMessage {
  role: string;
  content: unknown;
}

/** The messages of a call's inputs, or null if they are no conversation. */
export function messagesOf(inputs: unknown): RawMessage[] | null {
  if (!isRecord(inputs) || !Array.isArray(inputs.messages)) return null;
  const messages = inputs.messages.filter(isRecord).map((message) => ({ ...message, role: String(message.role ?? "user"), content: message.content ?? null }));
  return messages.length > 0 ? messages : null;
}

/** The answer in a call's output: the message of a completion, or a text. */
export function answerOf(output: unknown): RawMessage | null {
  if (typeof output === "string") return { role: "assistant", content: output };
  if (!isRecord(output)) return null;
  if (Array.isArray(output.choices)) {
    const first: unknown = output.choices[0];
    const message = isRecord(first) ? first.message : null;
    return isRecord(message) ? { ...message, role: String(message.role ?? "assistant"), content: message.content ?? null } : null;
  }
  return typeof output.role === "string" && "content" in output ? { role: output.role, content: output.content } : null;
}

/** The text of a message; other parts are named. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return valueLines(content);
  return content.map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : isRecord(part) ? `[${String(part.type ?? "part")}]` : String(part))).join("\n");
}

function toolCalls(message: object): ChatPart[] {
  const calls = (message as { tool_calls?: unknown }).tool_calls;
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map((call) => {
    const target = isRecord(call.function) ? call.function : {};
    return { kind: "tool_call", name: String(target.name ?? "tool"), argumentsText: valueLines(target.arguments) };
  });
}

/** Messages for ChatView. */
export function chatOf(messages: readonly RawMessage[]): ChatMessage[] {
  return messages.map((message, index) => {
    const text = contentText(message.content);
    return { id: String(index), role: message.role, parts: [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...toolCalls(message)] };
  });
}
