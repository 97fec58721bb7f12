// The messages of the conversation.

import { Button } from "../../ui/button";
import { Select, TextArea } from "../../ui/inputs";
import type { DraftMessage, Role } from "./conversation";

const ROLES: { value: Role; text: string }[] = [
  { value: "system", text: "System" }, { value: "user", text: "User" }, { value: "assistant", text: "Assistant" }, { value: "tool", text: "Tool" },
];

/** About as many rows as the text needs. */
function rowsOf(text: string): number {
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / 40), 0);
  return Math.min(16, Math.max(2, lines + 1));
}

interface Props {
  messages: DraftMessage[];
  onChange: (messages: DraftMessage[]) => void;
  onSend: () => void;
}

export function MessagesEditor({ messages, onChange, onSend }: Props) {
  const set = (index: number, change: Partial<DraftMessage>) => onChange(messages.map((message, at) => (at === index ? { ...message, ...change } : message)));
  const next: Role = messages.at(-1)?.role === "user" ? "assistant" : "user";
  return (
    <div class="messages">
      {messages.map((message, index) => (
        <div key={index} class={`message message-${message.role}`}>
          <div class="message-head">
            <span class="message-role"><Select label={`Role of message ${index + 1}`} value={message.role} options={ROLES} onChange={(role) => set(index, { role })} /></span>
            <span class="ui-grow" />
            <Button small kind="quiet" icon="close" label={`Remove message ${index + 1}`} disabled={messages.length === 1} onClick={() => onChange(messages.filter((_, at) => at !== index))} />
          </div>
          <TextArea
            label={`Message ${index + 1}`} value={message.text} onInput={(text) => set(index, { text })} onSubmit={onSend} rows={rowsOf(message.text)}
            placeholder={message.role === "system" ? "Instructions, such as: Answer in two sentences." : message.role === "user" ? "Ask something. Names in braces, such as {question}, are filled in below." : ""}
          />
        </div>
      ))}
      <div><Button small icon="add" onClick={() => onChange([...messages, { role: next, text: "" }])}>Message</Button></div>
    </div>
  );
}
