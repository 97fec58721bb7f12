// Modal dialogs on the native element: focus stays inside, Escape closes, focus returns.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { formatCount } from "../format/numbers.ts";
import { Button } from "./button.tsx";
import { classes } from "./class_names.ts";
import { Field } from "./field.tsx";
import { TextInput } from "./inputs.tsx";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ComponentChildren;
  /** Buttons at the end; the main one last. */
  actions?: ComponentChildren;
  /** Makes the content a form; called by Enter and submit buttons. */
  onSubmit?: () => void;
  size?: "small" | "medium" | "large";
  /** Keeps the dialog open on Escape and clicks outside, because typed text would be lost. */
  keepOpen?: boolean;
}

export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({ onClose, title, children, actions, onSubmit, size = "medium", keepOpen = false }: Omit<DialogProps, "open">) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const pressedOutside = useRef(false);
  // A layout effect: the focus returns in the same step in which the dialog goes.
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    const first = element?.querySelector<HTMLElement>("[autofocus], .ui-dialog-body input, .ui-dialog-body select, .ui-dialog-body textarea");
    first?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const content = (
    <>
      <header class="ui-dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="ui-dialog-body">{children}</div>
      {actions && <footer class="ui-dialog-foot">{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={dialog} class={classes("ui-dialog", `ui-dialog-${size}`)} aria-labelledby={id}
      onCancel={(event) => {
        // Closing belongs to the owner's state.
        event.preventDefault();
        if (!keepOpen) onClose();
      }}
      // A press that starts inside and ends outside selects text.
      onPointerDown={(event) => { pressedOutside.current = event.target === dialog.current; }}
      onClick={(event) => {
        if (event.target === dialog.current && pressedOutside.current && !keepOpen) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {onSubmit ? (
        <form
          class="ui-dialog-content"
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {content}
        </form>
      ) : <div class="ui-dialog-content">{content}</div>}
    </dialog>
  );
}

/** Above this count, a person types the number before something is deleted. */
export const TYPED_COUNT = 100;

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  /** The question with what and how many: `Delete 41 calls?`. */
  title: string;
  children?: ComponentChildren;
  /** The verb on the button: `Delete`. */
  action: string;
  /** How many things change; more than 100 must be typed. */
  count?: number;
  /** A name to type instead of a count, for single things that contain much, such as a project. */
  typedName?: string;
  danger?: boolean;
  busy?: boolean;
  /** Why the action failed. */
  error?: string | null;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return props.open ? <OpenConfirmDialog {...props} /> : null;
}

function OpenConfirmDialog({ onClose, onConfirm, title, children, action, count = 1, typedName, danger = true, busy = false, error }: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const wanted = typedName ?? (count > TYPED_COUNT ? String(count) : null);
  const matches = wanted === null || (typedName ? typed.trim() === typedName : typed.replace(/\D/g, "") === wanted && !/[^\d\s\u2009.,']/.test(typed));
  const confirm = () => {
    if (matches && !busy) onConfirm();
  };
  return (
    <Dialog
      open onClose={onClose} onSubmit={confirm} title={title} size="small"
      actions={
        <>
          <Button onClick={onClose} attributes={wanted === null ? { autofocus: true } : {}}>Cancel</Button>
          <Button type="submit" kind={danger ? "danger" : "primary"} disabled={!matches} busy={busy}>{action}</Button>
        </>
      }
    >
      {children}
      {wanted !== null && (
        <Field label={typedName ? `Type ${typedName} to confirm` : `Type ${formatCount(count)} to confirm`}>
          <TextInput value={typed} onInput={setTyped} mono />
        </Field>
      )}
      {error && <p class="ui-field-error" role="alert">{error}</p>}
    </Dialog>
  );
}
