// The fields of a filter: short names for the columns of a call, and paths below its JSON values.

import { lookup } from "../format/lookup.ts";
/** How the values of a field are read and compared. */
export type FieldKind =
  | "text" // equal, or contains with ~
  | "search" // contains, or equal with =
  | "op" // the name of an op, in every version
  | "model" // a model that the call used
  | "status"
  | "root"
  | "integer"
  | "duration"
  | "time"
  | "list" // a list of texts that contains the value
  | "json" // a value inside JSON, of any type
  | "feedback"; // values in the feedback of a call

export interface Field {
  /** The name in the filter. */
  name: string;
  kind: FieldKind;
  /** The path of the server's query language. */
  path: string;
  /** One line for suggestions. */
  about: string;
  /** Values for suggestions, where they are few. */
  values?: string[];
}

const field = (name: string, kind: FieldKind, path: string, about: string, values?: string[]): Field => ({
  name, kind, path, about, ...(values ? { values } : {}),
});

/** Words for statuses, and the statuses of the server that they mean. */
export const STATUSES = lookup<string[]>({
  ok: ["success"],
  error: ["error"],
  running: ["running"],
  failed: ["error", "descendant_error"],
  success: ["success"],
  descendant_error: ["descendant_error"],
});

export const FIELDS: Field[] = [
  field("status", "status", "summary.svc.status", "state of the call", ["ok", "error", "running", "failed", "descendant_error"]),
  field("op", "op", "op_name", "name of the op, in every version"),
  field("name", "text", "summary.svc.trace_name", "display name, or else the name of the op"),
  field("latency", "duration", "summary.svc.latency_ms", "duration: >2s, 100ms..1s"),
  field("model", "model", "summary.usage", "model that the call used"),
  field("started", "time", "started_at", "start time: >2026-11-18, >now-2h"),
  field("ended", "time", "ended_at", "end time"),
  field("root", "root", "parent_id", "calls without a parent", ["true", "false"]),
  field("exception", "search", "exception", "text of the exception"),
  field("user", "text", "svc_user_id", "user who recorded the call"),
  field("thread", "text", "thread_id", "conversation"),
  field("turn", "text", "turn_id", "turn of a conversation"),
  field("trace", "text", "trace_id", "trace id"),
  field("id", "text", "id", "call id"),
  field("parent", "text", "parent_id", "id of the parent call"),
  field("run", "text", "svc_run_id", "run: team/project/run"),
  field("run_step", "integer", "svc_run_step", "step of the run at the start"),
  field("input_ref", "list", "input_refs", "object that the inputs refer to"),
  field("output_ref", "list", "output_refs", "object that the output refers to"),
  field("queue", "feedback", "annotation_queue_items.queue_id", "annotation queue that contains the call"),
  field("reaction", "feedback", "feedback.[svc.reaction.1].payload.emoji", "reaction of a person", ["👍", "👎"]),
  field("note", "feedback", "feedback.[svc.note.1].payload.note", "note of a person: note:~wrong"),
  field("inputs", "search", "inputs", "inputs as text; inputs.question for one value"),
  field("output", "search", "output", "output as text; output.answer for one value"),
];

const COLUMNS = lookup<FieldKind>({
  trace_id: "text", parent_id: "text", thread_id: "text", turn_id: "text", op_name: "text", display_name: "text",
  started_at: "time", ended_at: "time", expire_at: "time", svc_user_id: "text", svc_run_id: "text",
  svc_run_step: "integer", svc_run_step_end: "integer", input_refs: "list", output_refs: "list",
  attributes: "search", summary: "search",
  "summary.svc.status": "status", "summary.svc.latency_ms": "integer", "summary.svc.trace_name": "text",
  "annotation_queue_items.queue_id": "feedback",
});

const BY_NAME = new Map(FIELDS.map((known) => [known.name, known]));

/** Words that people look for and the server cannot filter by, with what to write instead. */
export const UNAVAILABLE = lookup<string>({
  tokens: "Tokens are counted per model: summary.usage.gpt-4o.total_tokens:>1000.",
  cost: "Costs are computed when calls are read. Filter by tokens instead: summary.usage.gpt-4o.total_tokens:>1000.",
  project: "The list shows one project. Choose another project above it.",
  feedback: "Name the type and the value: feedback.[quality].payload.score:>0.5, reaction:👍 or note:~text.",
  score: "Name the scorer: feedback.[svc.runnable.NAME].payload.output:>0.5.",
});

/** Returns the field of a name or path. Any other name is an attribute: `tenant` is `attributes.tenant`. */
export function fieldOf(name: string): Field {
  const known = BY_NAME.get(name);
  if (known) return known;
  const column = COLUMNS[name];
  if (column) return { name, kind: column, path: name, about: "" };
  if (/^feedback\.\[/.test(name)) return { name, kind: "feedback", path: name, about: "" };
  if (/^(inputs|output|attributes|summary)\./.test(name)) return { name, kind: "json", path: name, about: "" };
  return { name, kind: "json", path: `attributes.${name}`, about: "" };
}

/** Returns true if the name is taken for an attribute because no field has it. */
export function isAttribute(name: string): boolean {
  return fieldOf(name).path === `attributes.${name}`;
}

/** Returns the known field whose name is at most two letters away, for questions like "Did you mean status?". */
export function similarField(name: string): string | null {
  if (name.length < 3) return null;
  const wanted = name.toLowerCase();
  const allowed = wanted.length < 5 ? 1 : 2;
  const found = FIELDS.find((known) => known.name !== name && distance(wanted, known.name) <= allowed);
  return found ? found.name : null;
}

function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  let before: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      // Two swapped letters are one mistake.
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j] ?? 0, (before[j - 2] ?? 0) + 1);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
