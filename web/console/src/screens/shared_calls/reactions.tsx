// Thumbs, other reactions and a note on a call.

import { useState } from "preact/hooks";

import { lookup } from "../../format/lookup";
import { useMutation } from "../../api/cache";
import { listCalls } from "../../api/calls";
import { ApiError } from "../../api/errors";
import { type FeedbackRow, callRef, createFeedback, purgeFeedback } from "../../api/feedback";
import { useMe } from "../../app/me";
import { toastError } from "../../app/toasts";
import { eq, get } from "../../query/expression";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import type { IconName } from "../../ui/icons";
import { TextArea } from "../../ui/inputs";
import { NOTE, NOTE_LENGTH, REACTION, reactions } from "./feedback_data";

const USUAL = ["👍", "👎"];
const ICONS = lookup<IconName>({ "👍": "thumbUp", "👎": "thumbDown" });
const NAMES = lookup<string>({ "👍": "thumbs up", "👎": "thumbs down" });

/** Throws if the call was deleted: the server stores feedback on any reference, also where nobody can see it. */
async function requireCall(project: string, callId: string): Promise<void> {
  const { items } = await listCalls({ project_id: project, filter: { call_ids: [callId] }, columns: ["id"], limit: 1 });
  if (items.length === 0) throw new ApiError(404, "This call was deleted meanwhile, so nothing was stored. Copy what you typed if you need it.");
}

export function useFeedbackChanges(project: string, callId: string) {
  const invalidates = [["feedback", project, callId]];
  const add = useMutation<{ type: string; payload: Record<string, unknown>; annotationRef?: string }>({
    change: async ({ type, payload, annotationRef }) => {
      await requireCall(project, callId);
      return createFeedback({
        project_id: project, svc_ref: callRef(project, callId), feedback_type: type, payload, ...(annotationRef ? { annotation_ref: annotationRef } : {}),
      });
    },
    invalidates,
  });
  const remove = useMutation<string>({
    change: (id) => purgeFeedback({ project_id: project, query: { $expr: eq(get("id"), id) } as never }),
    invalidates,
  });
  return { add, remove };
}

export function Reactions({ project, callId, rows, write }: { project: string; callId: string; rows: readonly FeedbackRow[]; write: boolean }) {
  const me = useMe();
  const { add, remove } = useFeedbackChanges(project, callId);
  const found = reactions(rows, me.data?.id);
  const shown = [...USUAL, ...found.map(({ emoji }) => emoji).filter((emoji) => !USUAL.includes(emoji))];
  const toggle = (emoji: string, mine: string | null) =>
    (mine === null ? add.run({ type: REACTION, payload: { emoji } }) : remove.run(mine)).catch((error: unknown) => toastError("The reaction was not stored", error));
  return (
    <span class="reactions" role="group" aria-label="Reactions">
      {shown.map((emoji) => {
        const { count = 0, mine = null } = found.find((entry) => entry.emoji === emoji) ?? {};
        if (!write && count === 0) return null;
        const icon = ICONS[emoji];
        return (
          <Button
            key={emoji} small pressed={mine !== null} disabled={!write || add.pending || remove.pending} onClick={() => void toggle(emoji, mine)}
            {...(icon ? { icon } : {})} label={icon ? `${count || ""} ${NAMES[emoji]}`.trim() : `${emoji} ${count}`}
          >
            {icon ? (count > 0 ? String(count) : undefined) : `${emoji} ${count}`}
          </Button>
        );
      })}
    </span>
  );
}

export function NoteDialog({ project, callId, onClose }: { project: string; callId: string; onClose: () => void }) {
  const [text, setText] = useState("");
  const { add } = useFeedbackChanges(project, callId);
  const note = text.trim();
  const save = () => {
    if (note !== "" && note.length <= NOTE_LENGTH) void add.run({ type: NOTE, payload: { note } }).then(onClose, () => undefined);
  };
  return (
    <Dialog
      open onClose={onClose} title="Note on this step" size="small" keepOpen={note !== ""} onSubmit={save}
      actions={<><Button onClick={onClose}>Cancel</Button><Button type="submit" kind="primary" disabled={note === "" || note.length > NOTE_LENGTH} busy={add.pending}>Save the note</Button></>}
    >
      <Field label="Note" hint={`${note.length} of ${NOTE_LENGTH} characters. Ctrl-Enter saves.`} error={note.length > NOTE_LENGTH ? "The note is too long." : add.error?.message ?? null}>
        <TextArea value={text} onInput={setText} rows={5} onSubmit={save} />
      </Field>
    </Dialog>
  );
}
