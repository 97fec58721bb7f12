// Who did what in a queue, and the answers of each item.

import type { FeedbackRow } from "../../api/feedback";
import { callRef } from "../../api/feedback";
import type { AnnotationQueueItem } from "../../api/queues";
import { href, paths } from "../../app/location";
import { useProject } from "../../app/screen";
import { formatCount } from "../../format/numbers";
import { Empty, ErrorNote } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { useUserNames } from "../shared_objects/people";
import { valueText } from "../shared_values/value_text";
import type { Question } from "./questions";
import { answersOf, useQueueFeedback } from "./use_queue";

const SHOWN = 500;

export interface Work {
  user: string;
  completed: number;
  skipped: number;
  answers: number;
}

/** Counts items and answers by person, most first. */
export function workOf(items: readonly AnnotationQueueItem[], feedback: readonly Pick<FeedbackRow, "svc_user_id">[]): Work[] {
  const people = new Map<string, Work>();
  const of = (user: string): Work => {
    const work = people.get(user) ?? { user, completed: 0, skipped: 0, answers: 0 };
    people.set(user, work);
    return work;
  };
  for (const { annotator_user_id: user, annotation_state: state } of items) {
    if (user && (state === "completed" || state === "skipped")) of(user)[state] += 1;
  }
  for (const { svc_user_id: user } of feedback) if (user) of(user).answers += 1;
  return [...people.values()].sort((a, b) => b.completed - a.completed || b.answers - a.answers || a.user.localeCompare(b.user));
}

export function QueueResults({ queueId, items, questions, finished }: { queueId: string; items: AnnotationQueueItem[]; questions: Question[]; finished: boolean }) {
  const { id: project, team } = useProject();
  const feedback = useQueueFeedback(project, queueId);
  const nameOf = useUserNames(team);
  const work = workOf(items, feedback.data ?? []);
  return (
    <div class="queue-pad">
      {finished && (
        <div class="queue-done" role="status">
          <Status state="completed" word="All items are done" />
        </div>
      )}
      {feedback.error && <ErrorNote title="The answers could not be read" message={feedback.error.message} requestId={feedback.error.requestId} onRetry={feedback.refetch} />}
      {work.length === 0 ? <Empty title="Nobody has answered yet" icon="person" /> : (
        <section class="section">
          <h2>Who did what</h2>
          <Table
            label="Who did what" rows={work} rowKey={({ user }) => user}
            columns={[
              { key: "user", title: "Person", wide: true, cell: ({ user }) => <SafeText text={nameOf(user)} line /> },
              { key: "completed", title: "Completed", number: true, cell: ({ completed }) => formatCount(completed) },
              { key: "skipped", title: "Skipped", number: true, cell: ({ skipped }) => formatCount(skipped) },
              { key: "answers", title: "Answers", number: true, cell: ({ answers }) => formatCount(answers) },
            ]}
          />
        </section>
      )}
      <section class="section">
        <h2>Items</h2>
        <Table
          label="Items" rows={items.slice(0, SHOWN)} rowKey={({ id }) => id} rowHref={({ id }) => href(paths.queues(project, queueId), { item: id })}
          columns={[
            { key: "position", title: "#", number: true, cell: (_, index) => formatCount(index + 1) },
            { key: "state", title: "State", cell: ({ annotation_state: state }) => <Status state={state === "in_progress" ? "running" : state} word={state === "in_progress" ? "in progress" : state} /> },
            ...questions.map((question) => ({
              key: question.ref, title: question.name,
              cell: (item: AnnotationQueueItem) => {
                const answer = answersOf(feedback.data ?? [], callRef(project, item.call_id), undefined)[question.ref];
                return answer === undefined ? <span class="faint">–</span> : <span class="result-text"><SafeText text={answer.value === true ? "yes" : answer.value === false ? "no" : valueText(answer.value, 120)} line /></span>;
              },
            })),
            { key: "who", title: "By", wide: true, cell: ({ annotator_user_id: user, annotation_state: state }) => (state === "unstarted" ? "" : <SafeText text={nameOf(user)} line />) },
          ]}
        />
        {items.length > SHOWN && <p class="faint">The first {SHOWN} of {formatCount(items.length)} items are listed.</p>}
      </section>
    </div>
  );
}
