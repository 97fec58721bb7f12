// Short messages at the edge of the window. Errors stay until they are closed.

import { signal } from "@preact/signals";

import { asApiError } from "../api/errors";
import { Button } from "../ui/button";
import { Icon } from "../ui/icons";
import { SafeText } from "../ui/safe_text";

export interface Toast {
  kind: "ok" | "error" | "info";
  text: string;
  requestId?: string | null;
  /** A way on, such as "Open" or "Undo". */
  action?: { label: string; run: () => void };
}

interface Shown extends Toast {
  id: number;
}

const SHOWN_MS = 5000;
const MOST = 4;

const toasts = signal<readonly Shown[]>([]);
let last = 0;

function close(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

/** Shows a message. */
export function toast(message: Toast): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.peek(), { ...message, id }].slice(-MOST);
  if (message.kind !== "error") setTimeout(() => close(id), message.action ? SHOWN_MS * 2 : SHOWN_MS);
}

/** Shows what a failed request says. `what` is what did not work: "The key was not created". */
export function toastError(what: string, thrown: unknown): void {
  const error = asApiError(thrown);
  toast({ kind: "error", text: `${what}: ${error.message}`, requestId: error.requestId });
}

const ICONS = { ok: "check", error: "alert", info: "info" } as const;

export function Toasts() {
  return (
    <div class="toasts" role="log" aria-label="Messages" aria-live="polite">
      {toasts.value.map(({ id, kind, text, requestId, action }) => (
        <div key={id} class={`toast toast-${kind}`} role={kind === "error" ? "alert" : undefined}>
          <Icon name={ICONS[kind]} />
          <div class="toast-text">
            <SafeText text={text} />
            {requestId && <div class="toast-id">Request {requestId}</div>}
          </div>
          {action && (
            <Button small onClick={() => { close(id); action.run(); }}>{action.label}</Button>
          )}
          <Button small kind="quiet" icon="close" label="Close the message" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
