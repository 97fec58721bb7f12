// The questions about an item, answered by keys or clicks.

import { useEffect, useRef } from "preact/hooks";

import { classes } from "../../ui/class_names";
import { Icon } from "../../ui/icons";
import { SafeText } from "../../ui/safe_text";
import { NumberInput, TextArea } from "../../ui/inputs";
import { type Answer, type Answers, type Question, answerProblem } from "./questions";

interface Props {
  questions: readonly Question[];
  answers: Answers;
  active: number;
  disabled: boolean;
  onAnswer: (index: number, answer: Answer | undefined) => void;
  onActive: (index: number) => void;
  /** Enter in a text: the next question, or the end. */
  onDone: (index: number) => void;
}

export function QuestionFields({ questions, answers, active, disabled, onAnswer, onActive, onDone }: Props) {
  const box = useRef<HTMLDivElement>(null);
  // The cursor of a question that is typed goes into its input.
  useEffect(() => {
    const field = box.current?.querySelectorAll<HTMLElement>(".question")[active];
    const input = field?.querySelector<HTMLElement>("textarea, input[type=number]");
    if (input) input.focus();
    else if (document.activeElement instanceof HTMLElement && box.current?.contains(document.activeElement)) document.activeElement.blur();
    field?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div ref={box} class="questions">
      {questions.map((question, index) => {
        const answer = answers[question.ref];
        const problem = answerProblem(question, answer);
        return (
          <fieldset
            key={question.ref} class={classes("question", index === active && "question-on")} disabled={disabled} onFocusIn={() => onActive(index)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || !(event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement)) return;
              event.preventDefault();
              event.stopPropagation();
              onDone(index);
            }}
          >
            <legend><SafeText text={question.name} line />{answer !== undefined && !problem && <Icon name="check" size={14} class="ui-tone-ok" />}</legend>
            {question.description && <p class="ui-hint"><SafeText text={question.description} /></p>}
            {question.kind === "choice" && (
              <div class="options">
                {question.options.map(({ value, text }, at) => (
                  <button key={String(value)} type="button" class={classes("option", answer === value && "option-on")} aria-pressed={answer === value} onClick={() => onAnswer(index, answer === value ? undefined : value)}>
                    {at < 9 && <kbd>{typeof value === "number" && value >= 1 && value <= 9 ? value : at + 1}</kbd>}
                    {!(typeof value === "number" && value >= 1 && value <= 9) && <SafeText text={text} line />}
                  </button>
                ))}
              </div>
            )}
            {question.kind === "number" && (
              <NumberInput label={question.name} value={typeof answer === "number" ? answer : null} onInput={(value) => onAnswer(index, value ?? undefined)}
                {...(question.minimum === undefined ? {} : { min: question.minimum })} {...(question.maximum === undefined ? {} : { max: question.maximum })} />
            )}
            {question.kind === "text" && <TextArea label={question.name} rows={2} value={typeof answer === "string" ? answer : ""} onInput={(text) => onAnswer(index, text === "" ? undefined : text)} />}
            {problem && <p class="ui-field-error" role="alert">{problem}</p>}
          </fieldset>
        );
      })}
    </div>
  );
}
