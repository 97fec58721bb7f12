// The questions of a queue, made from annotation specs, and their answers by keyboard.

import type { ObjectVersion } from "../../api/objects";
import { isRecord } from "../shared_values/value_text";

export type Answer = string | number | boolean;

export interface Question {
  /** The reference of the spec. */
  ref: string;
  /** The object id, which names the type of the feedback. */
  id: string;
  name: string;
  description: string;
  kind: "choice" | "number" | "text";
  /** The choices in the order of the keys 1 to 9. */
  options: { value: Answer; text: string }[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  integer?: boolean;
}

const MOST_KEYS = 9;
const numberOr = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Reads a spec. Schemas that no form fits are asked as texts. */
export function questionOf(ref: string, version: Pick<ObjectVersion, "object_id" | "val">): Question {
  const value = isRecord(version.val) ? version.val : {};
  const schema = isRecord(value.field_schema) ? value.field_schema : {};
  const question: Question = {
    ref, id: version.object_id, name: typeof value.name === "string" && value.name !== "" ? value.name : version.object_id,
    description: typeof value.description === "string" ? value.description : "", kind: "text", options: [],
  };
  const values = Array.isArray(schema.enum) ? schema.enum.filter((item): item is Answer => ["string", "number", "boolean"].includes(typeof item)) : null;
  if (values && values.length > 0) return { ...question, kind: "choice", options: values.map((item) => ({ value: item, text: String(item) })) };
  if (schema.type === "boolean") return { ...question, kind: "choice", options: [{ value: true, text: "yes" }, { value: false, text: "no" }] };
  if (schema.type === "integer" || schema.type === "number") {
    const [minimum, maximum] = [numberOr(schema.minimum), numberOr(schema.maximum)];
    const integer = schema.type === "integer";
    if (integer && minimum !== undefined && maximum !== undefined && maximum - minimum < MOST_KEYS && maximum > minimum) {
      const options = Array.from({ length: maximum - minimum + 1 }, (_, index) => ({ value: minimum + index, text: String(minimum + index) }));
      return { ...question, kind: "choice", options };
    }
    return { ...question, kind: "number", integer, ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
  }
  const maxLength = numberOr(schema.maxLength);
  return { ...question, ...(maxLength === undefined ? {} : { maxLength }) };
}

/** The answer that the key 1 to 9 gives. A scale that starts at 0 has 0 at the key 1. */
export function keyAnswer(question: Question, key: number): Answer | undefined {
  // On a scale the digit is the value where both fit.
  const scale = question.options.find(({ value }) => value === key);
  return (scale ?? question.options[key - 1])?.value;
}

export type Answers = Readonly<Record<string, Answer>>;

/** The first question after `index` without an answer, or the next one, or null at the end. */
export function nextQuestion(questions: readonly Question[], answers: Answers, index: number): number | null {
  for (let at = index + 1; at < questions.length; at++) if (answers[questions[at]!.ref] === undefined) return at;
  return null;
}

/** What is wrong with an answer, or null. */
export function answerProblem(question: Question, answer: Answer | undefined): string | null {
  if (answer === undefined) return null;
  if (question.kind === "number" && typeof answer === "number") {
    if (question.integer && !Number.isInteger(answer)) return "A whole number.";
    if (question.minimum !== undefined && answer < question.minimum) return `At least ${question.minimum}.`;
    if (question.maximum !== undefined && answer > question.maximum) return `At most ${question.maximum}.`;
  }
  if (question.kind === "text" && question.maxLength !== undefined && String(answer).length > question.maxLength) return `At most ${question.maxLength} characters.`;
  return null;
}

export interface ItemState {
  id: string;
  annotation_state: "unstarted" | "in_progress" | "completed" | "skipped";
}

/** The next item to annotate after the one with `id`, from the start after the end; null when all are done. */
export function nextOpen(items: readonly ItemState[], id: string | null): string | null {
  const start = items.findIndex((item) => item.id === id);
  for (let step = 1; step <= items.length; step++) {
    const item = items[(start + step + items.length) % items.length];
    if (item && item.id !== id && (item.annotation_state === "unstarted" || item.annotation_state === "in_progress")) return item.id;
  }
  return null;
}

/** The schema of a new spec. */
export function schemaOf(kind: "choice" | "boolean" | "scale" | "text", choices: readonly string[]): Record<string, unknown> {
  if (kind === "boolean") return { type: "boolean" };
  if (kind === "scale") return { type: "integer", minimum: 1, maximum: 5 };
  if (kind === "text") return { type: "string", maxLength: 2000 };
  return { type: "string", enum: [...choices] };
}
