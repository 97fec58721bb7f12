// The conversation that is sent to the models, and what becomes of it.

import type { RawMessage } from "../shared_values/chat";
import { contentText, messagesOf } from "../shared_values/chat";
import { isRecord } from "../shared_values/value_text";

export type Role = "system" | "user" | "assistant" | "tool";
export interface DraftMessage {
  role: Role;
  text: string;
}

export interface Settings {
  temperature: number | null;
  maxTokens: number | null;
  topP: number | null;
}

export interface Draft {
  messages: DraftMessage[];
  settings: Settings;
}

export const EMPTY_DRAFT: Draft = {
  messages: [{ role: "system", text: "" }, { role: "user", text: "" }],
  settings: { temperature: null, maxTokens: null, topP: null },
};

const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];
const roleOf = (role: string): Role => (role === "developer" ? "system" : ROLES.find((known) => known === role) ?? "user");
const numberOf = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

export function draftOf(messages: readonly RawMessage[], settings: Settings = EMPTY_DRAFT.settings): Draft {
  return { messages: messages.map(({ role, content }) => ({ role: roleOf(role), text: contentText(content) })), settings };
}

/** Reads the conversation and the model of a call; null if its inputs hold none. */
export function fromCall(inputs: unknown): { draft: Draft; model: string | null } | null {
  const messages = messagesOf(inputs);
  if (!isRecord(inputs)) return null;
  const settings = { temperature: numberOf(inputs.temperature), maxTokens: numberOf(inputs.max_completion_tokens ?? inputs.max_tokens), topP: numberOf(inputs.top_p) };
  const model = typeof inputs.model === "string" ? inputs.model : null;
  if (messages) return { draft: draftOf(messages, settings), model };
  const text = [inputs.prompt, inputs.question, inputs.input, inputs.query].find((value): value is string => typeof value === "string");
  return { draft: draftOf([{ role: "user", content: text ?? JSON.stringify(inputs, null, 2) }], settings), model };
}

/** Reads a stored prompt: messages or a text. */
export function fromPrompt(value: unknown): Draft | null {
  const messages = messagesOf(value);
  if (messages) return draftOf(messages);
  if (isRecord(value) && typeof value.content === "string") return draftOf([{ role: "user", content: value.content }]);
  return null;
}

/** The names in braces of a conversation: `{question}`. `{{` and `}}` are braces. */
export function variablesOf(messages: readonly DraftMessage[]): string[] {
  const names = new Set<string>();
  for (const { text } of messages) for (const [, name] of text.replaceAll("{{", "").matchAll(/\{([A-Za-z_][\w.]*)\}/g)) names.add(name!);
  return [...names];
}

/** Puts values into the names in braces. Names without a value stay. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{|\}\}|\{([A-Za-z_][\w.]*)\}/g, (match, name: string | undefined) => (name === undefined ? match[0]! : values[name] || match));
}

/** The body of a request. Empty messages are left out. */
export function requestOf(model: string, { messages, settings }: Draft, values: Readonly<Record<string, string>>) {
  return {
    model,
    messages: messages.filter(({ text }) => text.trim() !== "").map(({ role, text }) => ({ role, content: filled(text, values) })),
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens }),
    ...(settings.topP === null ? {} : { top_p: settings.topP }),
  };
}

export function canSend({ messages }: Draft): boolean {
  return messages.some(({ role, text }) => role !== "system" && text.trim() !== "");
}

/** The value of a prompt object. */
export function promptValue(name: string, description: string, messages: readonly DraftMessage[]): Record<string, unknown> {
  return {
    _type: "MessagesPrompt", _class_name: "MessagesPrompt", _bases: ["Prompt", "Object", "BaseModel"], name, description: description === "" ? null : description,
    messages: messages.filter(({ text }) => text.trim() !== "").map(({ role, text }) => ({ role, content: text })),
  };
}
