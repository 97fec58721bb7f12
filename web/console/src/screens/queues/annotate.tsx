// Annotates one item at a time, by keyboard alone: digits answer, Enter stores, s skips.

import { useEffect, useMemo, useState } from "preact/hooks";

import { invalidate, queries, useMutation } from "../../api/cache";
import { callRef } from "../../api/feedback";
import { type AnnotationQueue, type AnnotationQueueItem, setItemProgress } from "../../api/queues";
import { useMe, useRights } from "../../app/me";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ErrorNote } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { unlessControl } from "../shared_layout/keys";
import { ItemContent } from "./item_content";
import { QuestionFields } from "./question_fields";
import { type Answer, type Answers, type Question, answerProblem, keyAnswer, nextOpen, nextQuestion } from "./questions";
import { answersOf, storeAnswers, useQueueFeedback } from "./use_queue";

const GROUP = "Annotation";

interface Props {
  queue: AnnotationQueue;
  items: AnnotationQueueItem[];
  item: AnnotationQueueItem;
  questions: Question[];
}

export function Annotate({ queue, items, item, questions }: Props) {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const me = useMe();
  const feedback = useQueueFeedback(project, queue.id);
  const [, setItem] = useUrlState("item", codecs.text());
  const [changed, setChanged] = useState<Record<string, Answer | undefined>>({});
  const [active, setActive] = useState(0);
  const before = useMemo(() => answersOf(feedback.data ?? [], callRef(project, item.call_id), me.data?.id), [feedback.data, item.call_id, me.data?.id]);
  const answers = useMemo(() => {
    const all: Record<string, Answer> = {};
    for (const [ref, { value }] of Object.entries(before)) all[ref] = value;
    for (const [ref, value] of Object.entries(changed)) {
      if (value === undefined) delete all[ref];
      else all[ref] = value;
    }
    return all as Answers;
  }, [before, changed]);
  const index = items.indexOf(item);
  const go = (next: string | null) => setItem(next ?? "done");
  /** The list on screen changes at once; the server's copy follows. */
  const mark = (state: AnnotationQueueItem["annotation_state"]) => {
    queries.setQueryData<AnnotationQueueItem[]>(["queues", project, queue.id, "items"], (list) =>
      list?.map((other) => (other.id === item.id ? { ...other, annotation_state: state, annotator_user_id: me.data?.id ?? null } : other)));
    void invalidate(["queues", project]);
    void invalidate(["feedback", project]);
  };
  const finish = useMutation({
    change: async (state: "completed" | "skipped") => {
      if (state === "completed") await storeAnswers(project, queue.id, item.call_id, questions, answers, before);
      await setItemProgress(queue.id, item.id, { project_id: project, annotation_state: state });
      return state;
    },
    done: (state) => {
      mark(state);
      go(nextOpen(items, item.id));
    },
  });
  const start = useMutation({ change: () => setItemProgress(queue.id, item.id, { project_id: project, annotation_state: "in_progress" }) });
  useEffect(() => {
    if (write && item.annotation_state === "unstarted") void start.run().catch(() => undefined);
  }, [item.id, write]);

  const store = () => {
    if (!write || finish.pending) return;
    if (Object.keys(answers).length === 0) toast({ kind: "info", text: "Answer a question first, or press s to skip." });
    else if (questions.every((question) => answerProblem(question, answers[question.ref]) === null)) void finish.run("completed").catch(() => undefined);
  };
  const skip = () => {
    if (write && !finish.pending) void finish.run("skipped").catch(() => undefined);
  };
  const answer = (at: number, value: Answer | undefined) => {
    const question = questions[at];
    if (!question || !write) return;
    setChanged({ ...changed, [question.ref]: value });
    if (question.kind !== "choice" || value === undefined) return;
    const next = nextQuestion(questions, { ...answers, [question.ref]: value }, at);
    if (next !== null) setActive(next);
  };
  const done = (at: number) => {
    const next = nextQuestion(questions, answers, at);
    if (next === null) store();
    else setActive(next);
  };
  const press = (key: number) => {
    const question = questions[active];
    const value = question && keyAnswer(question, key);
    if (value !== undefined) answer(active, value);
  };
  useDigits(press, write);
  useShortcut({ keys: "Enter", label: "Store and go on", group: GROUP }, unlessControl(store), write);
  useShortcut({ keys: "s", label: "Skip", group: GROUP }, skip, write);
  useShortcut({ keys: "ArrowDown", label: "Next question", group: GROUP }, () => setActive(Math.min(questions.length - 1, active + 1)));
  useShortcut({ keys: "ArrowUp", label: "Previous question", group: GROUP }, () => setActive(Math.max(0, active - 1)));
  useShortcut({ keys: "]", label: "Next item", group: GROUP }, () => { const next = items[index + 1]; if (next) go(next.id); });
  useShortcut({ keys: "[", label: "Previous item", group: GROUP }, () => { const previous = items[index - 1]; if (previous) go(previous.id); });

  return (
    <div class="annotate">
      <ItemContent project={project} item={item} />
      <aside class="answers" aria-label="Questions">
        <div class="answers-head">
          <span>Item {formatCount(index + 1)} of {formatCount(items.length)}</span>
          <Status state={item.annotation_state === "in_progress" ? "running" : item.annotation_state} word={item.annotation_state === "in_progress" ? "in progress" : item.annotation_state} />
          <span class="ui-grow" />
          <Button small kind="quiet" icon="chevronLeft" label="Previous item" disabled={index <= 0} onClick={() => go(items[index - 1]?.id ?? null)} />
          <Button small kind="quiet" icon="chevronRight" label="Next item" disabled={index >= items.length - 1} onClick={() => go(items[index + 1]?.id ?? null)} />
        </div>
        {queue.description && <p class="soft answers-about"><SafeText text={queue.description} /></p>}
        {questions.length === 0 && <p class="ui-hint">The questions of this queue were deleted.</p>}
        <QuestionFields questions={questions} answers={answers} active={active} disabled={!write} onAnswer={answer} onActive={setActive} onDone={done} />
        {feedback.error && <ErrorNote title="Earlier answers could not be read" message={feedback.error.message} requestId={feedback.error.requestId} onRetry={feedback.refetch} />}
        {finish.error && <ErrorNote title="The answers were not stored. They are still here" message={finish.error.message} requestId={finish.error.requestId} />}
        {write ? (
          <div class="answers-foot">
            <Button kind="primary" busy={finish.pending} onClick={store}>Store <kbd>Enter</kbd></Button>
            <Button disabled={finish.pending} onClick={skip}>Skip <kbd>s</kbd></Button>
          </div>
        ) : <p class="ui-hint">You can read this queue. Members of the team can annotate.</p>}
      </aside>
    </div>
  );
}

/** The keys 1 to 9. */
function useDigits(press: (key: number) => void, enabled: boolean): void {
  useShortcut({ keys: "1", label: "Answer 1 … 9", group: GROUP }, () => press(1), enabled);
  useShortcut({ keys: "2", label: "Answer 2", group: GROUP }, () => press(2), enabled);
  useShortcut({ keys: "3", label: "Answer 3", group: GROUP }, () => press(3), enabled);
  useShortcut({ keys: "4", label: "Answer 4", group: GROUP }, () => press(4), enabled);
  useShortcut({ keys: "5", label: "Answer 5", group: GROUP }, () => press(5), enabled);
  useShortcut({ keys: "6", label: "Answer 6", group: GROUP }, () => press(6), enabled);
  useShortcut({ keys: "7", label: "Answer 7", group: GROUP }, () => press(7), enabled);
  useShortcut({ keys: "8", label: "Answer 8", group: GROUP }, () => press(8), enabled);
  useShortcut({ keys: "9", label: "Answer 9", group: GROUP }, () => press(9), enabled);
}
