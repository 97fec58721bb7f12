// The feedback on one step: reactions, notes, annotations, scores.

import { useState } from "preact/hooks";

import type { FeedbackRow } from "../../api/feedback";
import { timeZone } from "../../app/preferences";
import { useProject } from "../../app/screen";
import { toastError } from "../../app/toasts";
import { formatTime } from "../../format/time";
import { truncate } from "../../format/truncate";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { feedbackText } from "../shared_calls/feedback_data";
import { useFeedbackChanges } from "../shared_calls/reactions";
import { useUserNames } from "../shared_objects/people";

/** Longer values begin closed: hundreds of large payloads would block the page. */
const LONGEST = 600;

function Value({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= LONGEST) return <SafeText text={text} />;
  return (
    <>
      <SafeText text={open ? text : truncate(text, LONGEST)} />
      <Button kind="quiet" small onClick={() => setOpen(!open)}>{open ? "Show less" : "Show all"}</Button>
    </>
  );
}

export function FeedbackTab({ project, callId, rows, write, me }: { project: string; callId: string; rows: readonly FeedbackRow[]; write: boolean; me: string | undefined }) {
  const { remove } = useFeedbackChanges(project, callId);
  const nameOf = useUserNames(useProject().team);
  const [going, setGoing] = useState<string | null>(null);
  if (rows.length === 0) {
    return <Empty title="No feedback on this step" icon="thumbUp"><p>{write ? "React, write a note or annotate above. Scores of evaluations and monitors appear here too." : "Scores and notes appear here."}</p></Empty>;
  }
  const withdraw = (id: string) => {
    setGoing(id);
    remove.run(id).catch((error: unknown) => toastError("The feedback was not deleted", error)).finally(() => setGoing(null));
  };
  /** The name that the sender gave, or the user; an id says nothing to a reader. */
  const author = ({ creator, svc_user_id }: FeedbackRow) => {
    const name = creator || nameOf(svc_user_id);
    return name === svc_user_id ? null : name;
  };
  return (
    <ul class="feedback-list">
      {rows.map((row) => {
        const { kind, value } = feedbackText(row);
        const name = author(row);
        return (
          <li key={row.id} class="feedback-row">
            <span class="feedback-kind"><Badge tone={kind === "note" || kind === "reaction" ? "info" : "accent"}><SafeText text={kind} line /></Badge></span>
            <span class="feedback-value"><Value text={value} /></span>
            <span class="feedback-source faint">{name && <><SafeText text={name} line /> · </>}<time dateTime={row.created_at}>{formatTime(row.created_at, timeZone.value)}</time></span>
            {write && row.svc_user_id === me && <Button kind="quiet" small icon="trash" label={`Delete this ${kind}`} busy={going === row.id} onClick={() => withdraw(row.id)} />}
          </li>
        );
      })}
    </ul>
  );
}
