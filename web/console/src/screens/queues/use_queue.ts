// What annotating needs: the queue, its items, its questions, and earlier answers.

import { useQuery } from "../../api/cache";
import { type FeedbackRow, callRef, createFeedback, listFeedback, replaceFeedback } from "../../api/feedback";
import { readObject } from "../../api/objects";
import { type AnnotationQueueItem, getQueue, listQueueItems } from "../../api/queues";
import { parseRef } from "../shared_objects/refs";
import { type Answer, type Answers, type Question, questionOf } from "./questions";

const MOST_ITEMS = 5000;
const MOST_FEEDBACK = 5000;

export function useQueue(project: string, id: string) {
  return useQuery({ key: ["queues", project, id], read: async (signal) => (await getQueue(id, { project_id: project }, signal)).queue });
}

export function useItems(project: string, id: string) {
  return useQuery({
    key: ["queues", project, id, "items"],
    read: async (signal): Promise<AnnotationQueueItem[]> => (await listQueueItems(id, { project_id: project, include_position: true, limit: MOST_ITEMS }, signal)).items,
  });
}

/** The questions of a queue. A spec that was deleted is left out. */
export function useQuestions(project: string, refs: readonly string[]) {
  return useQuery({
    key: ["objects", project, "questions", refs.join(" ")],
    read: async (signal): Promise<Question[]> => {
      const found = await Promise.all(
        refs.map(async (ref) => {
          const parsed = parseRef(ref);
          if (!parsed) return [];
          try {
            const { obj } = await readObject({ project_id: parsed.project, object_id: parsed.name, digest: parsed.version }, signal);
            return obj.base_object_class === "AnnotationSpec" ? [questionOf(ref, obj)] : [];
          } catch {
            signal.throwIfAborted();
            return [];
          }
        }),
      );
      return found.flat();
    },
    staleTime: Infinity,
  });
}

/** All answers that were given in a queue, the newest last. */
export function useQueueFeedback(project: string, queueId: string) {
  return useQuery({
    key: ["feedback", project, "queue", queueId],
    read: async (signal): Promise<FeedbackRow[]> =>
      (
        await listFeedback(
          {
            project_id: project,
            fields: ["id", "svc_ref", "feedback_type", "payload", "svc_user_id", "created_at", "annotation_ref"],
            query: { $expr: { $eq: [{ $getField: "queue_id" }, { $literal: queueId }] } },
            limit: MOST_FEEDBACK,
          },
          signal,
        )
      ).result,
  });
}

/** The answers of one person for one call, by question. */
export function answersOf(feedback: readonly FeedbackRow[], svcRef: string, user: string | undefined): Record<string, { id: string; value: Answer }> {
  const answers: Record<string, { id: string; value: Answer }> = {};
  for (const { id, svc_ref, annotation_ref, payload, svc_user_id } of feedback) {
    if (svc_ref !== svcRef || !annotation_ref || (user !== undefined && svc_user_id !== user)) continue;
    answers[annotation_ref] = { id, value: payload.value as Answer };
  }
  return answers;
}

/** Stores the answers about a call: new ones are created, changed ones replaced. */
export async function storeAnswers(
  project: string, queueId: string, callId: string, questions: readonly Question[], answers: Answers, before: Readonly<Record<string, { id: string; value: Answer }>>,
): Promise<void> {
  for (const question of questions) {
    const value = answers[question.ref];
    const old = before[question.ref];
    if (value === undefined || old?.value === value) continue;
    const body = {
      project_id: project, svc_ref: callRef(project, callId), feedback_type: `svc.annotation.${question.id}`,
      payload: { value }, annotation_ref: question.ref, queue_id: queueId,
    };
    if (old) await replaceFeedback({ ...body, feedback_id: old.id });
    else await createFeedback(body);
  }
}
