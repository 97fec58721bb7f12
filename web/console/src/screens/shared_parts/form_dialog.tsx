// A dialog with a form: fields, one main action, and what the server says about it.

import type { ComponentChildren } from "preact";

import type { ApiError } from "../../api/errors";
import { Button } from "../../ui/button";
import { Dialog, type DialogProps } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";

export interface FormDialogProps {
  title: string;
  /** The text of the main button. */
  action: string;
  onClose: () => void;
  onSubmit: () => void;
  /** False: the main button does nothing. */
  valid: boolean;
  /** True: something was typed, which Escape must not lose. */
  typed?: boolean;
  state: { pending: boolean; error: ApiError | null };
  /** Members whose errors are shown beside their fields. */
  shown?: readonly string[];
  size?: NonNullable<DialogProps["size"]>;
  /** Buttons before "Cancel". */
  extra?: ComponentChildren;
  children: ComponentChildren;
}

/** Returns the part of the error that no field of the form shows. */
export function remainingError(error: ApiError | null, shown: readonly string[]): ApiError | null {
  return error?.besides(...shown) ? error : null;
}

function titleOf({ offline, status }: ApiError): string {
  if (offline) return "The server did not answer";
  if (status === 429 || status === 503) return "The server is busy";
  return status >= 500 ? "The server failed" : "The server refused this";
}

export function FormDialog({
  title, action, onClose, onSubmit, valid, typed = true, state, shown = [], size = "small", extra, children,
}: FormDialogProps) {
  const error = remainingError(state.error, shown);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size={size}
      keepOpen={typed}
      onSubmit={() => {
        if (valid && !state.pending) onSubmit();
      }}
      actions={
        <>
          {extra && <span class="form-extra">{extra}</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!valid} busy={state.pending}>{action}</Button>
        </>
      }
    >
      <div class="stack">
        {children}
        {error && <ErrorNote title={titleOf(error)} message={error.message} requestId={error.requestId} />}
      </div>
    </Dialog>
  );
}
