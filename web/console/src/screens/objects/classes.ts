// The kinds of objects that the screen lists.

import type { ObjectFilter, ObjectVersion } from "../../api/objects";
import { isRecord, valueLines } from "../shared_values/value_text";

export type ClassName = "prompts" | "models" | "scorers" | "ops" | "other";

export interface ObjectClass {
  name: ClassName;
  title: string;
  one: string;
  filter: ObjectFilter;
}

/** Datasets and views have screens of their own. */
const ELSEWHERE = ["Dataset", "SavedView", "Prompt", "Model", "Scorer"];

export const CLASSES: readonly ObjectClass[] = [
  { name: "prompts", title: "Prompts", one: "prompt", filter: { base_object_classes: ["Prompt"] } },
  { name: "models", title: "Models", one: "model", filter: { base_object_classes: ["Model"] } },
  { name: "scorers", title: "Scorers", one: "scorer", filter: { base_object_classes: ["Scorer"] } },
  { name: "ops", title: "Ops", one: "op", filter: { is_op: true } },
  { name: "other", title: "Other", one: "object", filter: { is_op: false, exclude_base_object_classes: ELSEWHERE } },
];

export function classOf(name: string | undefined): ObjectClass | undefined {
  return name === undefined ? CLASSES[0] : CLASSES.find((item) => item.name === name);
}

/** The text of a version for readers: code of ops, messages and texts of prompts, JSON of everything else. */
export function textOfVersion(version: Pick<ObjectVersion, "val">): string {
  const { val } = version;
  if (isRecord(val)) {
    if (Array.isArray(val.messages)) {
      return val.messages.filter(isRecord).map((message) => `${String(message.role)}:\n${valueLines(message.content)}`).join("\n\n");
    }
    if (typeof val.content === "string") return val.content;
  }
  return valueLines(val);
}

/** One line about an object: what it asks, what kind it is, its description. */
export function noteOf({ val, leaf_object_class: leaf }: Pick<ObjectVersion, "val" | "leaf_object_class">): string {
  if (!isRecord(val)) return leaf ?? "";
  const kind = typeof val.kind === "string" ? val.kind : null;
  const model = typeof val.model === "string" ? val.model : null;
  const description = typeof val.description === "string" ? val.description : null;
  return [description, kind, model].filter((part) => part !== null && part !== "").join(" · ") || (leaf ?? "");
}

export function isTag(text: string): boolean {
  return /^[A-Za-z0-9_-]+( [A-Za-z0-9_-]+)*$/.test(text);
}

/** What is wrong with an alias, or null. */
export function aliasProblem(text: string): string | null {
  if (text.trim() === "") return "Write a name.";
  if (/[/:]/.test(text)) return "Without / and :";
  if (text === "latest" || /^v\d+$/.test(text)) return "latest and numbers of versions are taken.";
  return null;
}
