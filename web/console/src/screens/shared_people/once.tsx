// A value that the server shows only once: a key, a link.

import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";

export interface OnceDialogProps {
  title: string;
  /** Why it must be copied now. */
  text: string;
  value: string;
  onClose: () => void;
}

export function OnceDialog({ title, text, value, onClose }: OnceDialogProps) {
  return (
    <Dialog open keepOpen onClose={onClose} title={title} actions={<Button kind="primary" onClick={onClose}>I have copied it</Button>}>
      <p>{text}</p>
      <div class="issued">
        <code>{value}</code>
        <CopyButton text={value} label="Copy the value" kind="normal">Copy</CopyButton>
      </div>
    </Dialog>
  );
}
