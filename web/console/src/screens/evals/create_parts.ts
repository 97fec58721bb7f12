// Creates the parts of a run that do not exist yet: scorers, an evaluation, a model.

import { createEvaluation } from "../../api/evaluations";
import { createObject } from "../../api/objects";
import { objectIdOf, objectRef } from "../shared_objects/refs";

const BASES = ["Object", "BaseModel"];

export type ScorerKind = "exact_match" | "contains" | "string_distance" | "word_f1" | "numeric_tolerance" | "regex" | "llm_judge";

export interface ScorerDraft {
  kind: ScorerKind;
  /** The member of the row to compare with. */
  target: string;
  /** The pattern of `regex`, or the rubric of `llm_judge`. */
  text: string;
  /** The model of `llm_judge`. */
  model: string;
}

/** Returns the value of a built-in scorer. */
export function scorerValue({ kind, target, text, model }: ScorerDraft): Record<string, unknown> {
  const special: Record<string, Record<string, unknown>> = {
    exact_match: { strip: true },
    contains: { ignore_case: true },
    string_distance: { threshold: 0.8 },
    word_f1: { ignore_case: true },
    numeric_tolerance: { relative: 0.01 },
    regex: { pattern: text },
    llm_judge: { rubric: text, model },
  };
  return {
    _type: "BuiltInScorer", _class_name: "BuiltInScorer", _bases: ["Scorer", ...BASES], kind, ...special[kind],
    ...(target && target !== "target" ? { column_map: { target } } : {}),
  };
}

export async function createBuiltInScorer(project: string, draft: ScorerDraft): Promise<string> {
  const { object_id, digest } = await createObject({ obj: { project_id: project, object_id: draft.kind, val: scorerValue(draft) } });
  return objectRef(project, object_id, digest);
}

export interface ModelDraft {
  name: string;
  model: string;
  prompt: string;
  temperature: number | null;
}

export async function createChatModel(project: string, { name, model, prompt, temperature }: ModelDraft): Promise<string> {
  const { object_id, digest } = await createObject({
    obj: {
      project_id: project,
      object_id: objectIdOf(name),
      val: {
        _type: "Model", _class_name: "Model", _bases: BASES, name, kind: "chat_completion", model, prompt,
        parameters: temperature === null ? {} : { temperature },
      },
    },
  });
  return objectRef(project, object_id, digest);
}

export async function createNewEvaluation(
  project: string,
  draft: { name: string; dataset: string; scorers: string[]; trials: number },
): Promise<string> {
  const { evaluation_ref } = await createEvaluation(project, draft);
  return evaluation_ref;
}
