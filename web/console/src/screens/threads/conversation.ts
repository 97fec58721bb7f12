// The turns of a conversation as one list of messages.

import type { TraceChat } from "../../api/traces";
import type { ChatMessage } from "../../ui/content/chat_view";
import { chatMessages } from "../shared_calls/chat_messages";

export interface Turn {
  /** Counted from 1, the oldest first. */
  number: number;
  chat: TraceChat;
  /** The call of the turn, which feedback concerns; null if no message names it. */
  call: string | null;
}

export interface Conversation {
  messages: ChatMessage[];
  /** The turn that ends with a message, by the message's id. */
  ends: ReadonlyMap<string, Turn>;
  tokens: number;
  cost: number | null;
  errors: number;
}

/** Returns the call at the top of a turn. */
export function turnCall({ messages }: Pick<TraceChat, "messages">): string | null {
  const start = messages.find((message) => message.type === "agent_start" && message.span_id) ?? messages.find((message) => message.span_id);
  return start?.span_id ?? null;
}

/** Joins turns. System messages that repeat those of the turn before are left out. */
export function joinTurns(turns: readonly TraceChat[], firstNumber: number, hrefOf: (trace: string, span: string | null) => string): Conversation {
  const messages: ChatMessage[] = [];
  const ends = new Map<string, Turn>();
  let instructions: string | null = null;
  turns.forEach((chat, index) => {
    const turn: Turn = { number: firstNumber + index, chat, call: turnCall(chat) };
    const shown = chatMessages(chat, (span) => hrefOf(chat.trace_id, span)).filter((message) => {
      if (message.role !== "system") return true;
      const text = JSON.stringify(message.parts);
      const repeated = text === instructions;
      instructions = text;
      return !repeated;
    });
    const own = shown.length > 0 ? shown : [{ id: "-", role: "agent", name: chat.root_span_name, parts: [], href: hrefOf(chat.trace_id, null) }];
    own.forEach((message, at) => {
      const id = `${turn.number}.${message.id}`;
      messages.push({ ...message, id });
      if (at === own.length - 1) ends.set(id, turn);
    });
  });
  const costs = turns.flatMap(({ total_cost_usd: cost }) => (cost === null ? [] : [cost]));
  return {
    messages, ends,
    tokens: turns.reduce((sum, turn) => sum + turn.total_input_tokens + turn.total_output_tokens, 0),
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    errors: turns.filter(({ status_code: code }) => code === "ERROR").length,
  };
}
