// Feedback of one call: reactions, notes, annotations, scores.

import { type QueryState, useQuery } from "../../api/cache";
import { type FeedbackRow, callRef, listFeedback } from "../../api/feedback";
import { eq, get } from "../../query/expression";

export const REACTION = "svc.reaction.1";
export const NOTE = "svc.note.1";
export const NOTE_LENGTH = 1024;

export function useFeedback(project: string, callId: string | null): QueryState<FeedbackRow[]> {
  return useQuery({
    key: ["feedback", project, callId],
    enabled: callId !== null,
    keep: false,
    read: async (signal) => {
      const { result } = await listFeedback({
        project_id: project, limit: 500, sort_by: [{ field: "created_at", direction: "desc" }],
        query: { $expr: eq(get("svc_ref"), callRef(project, callId ?? "")) } as never,
      }, signal);
      return result;
    },
  });
}

/** Counts reactions by emoji, the caller's own marked. */
export function reactions(rows: readonly FeedbackRow[], user: string | undefined): { emoji: string; count: number; mine: string | null }[] {
  const found = new Map<string, { emoji: string; count: number; mine: string | null }>();
  for (const { feedback_type, payload, id, svc_user_id } of rows) {
    if (feedback_type !== REACTION || typeof payload.emoji !== "string") continue;
    const entry = found.get(payload.emoji) ?? { emoji: payload.emoji, count: 0, mine: null };
    entry.count += 1;
    if (user !== undefined && svc_user_id === user) entry.mine = id;
    found.set(payload.emoji, entry);
  }
  return [...found.values()];
}

/** What a row of feedback is and says. */
export function feedbackText({ feedback_type, payload }: Pick<FeedbackRow, "feedback_type" | "payload">): { kind: string; value: string } {
  if (feedback_type === REACTION) return { kind: "reaction", value: String(payload.emoji ?? "") };
  if (feedback_type === NOTE) return { kind: "note", value: String(payload.note ?? "") };
  const annotation = /^svc\.annotation\.(.+)$/.exec(feedback_type)?.[1];
  if (annotation !== undefined) return { kind: annotation, value: plain(payload.value) };
  const scorer = /^svc\.runnable\.(.+)$/.exec(feedback_type)?.[1];
  if (scorer !== undefined) return { kind: scorer, value: plain(payload.output) };
  return { kind: feedback_type, value: plain(payload) };
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
