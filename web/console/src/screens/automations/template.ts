// Renders a payload template in the browser, by the rules of the server: the preview follows each key stroke.

import type { Event } from "../../api/automation";

/** The variables of all events. Credentials and artifact_metadata come beside them. */
export const VARIABLES = [
  "event_type", "event_id", "event_time", "event_author", "entity_name", "project_name", "registry_name",
  "artifact_collection_name", "artifact_version", "artifact_version_string", "artifact_version_index", "alias", "tag",
  "run_id", "run_name", "run_state", "metric_name", "metric_value", "metric_threshold", "training_job_id", "model_name",
  "error_message", "automation_name",
] as const;

/** The template of the server for automations without one. */
export const DEFAULT_TEMPLATE = JSON.stringify(
  Object.fromEntries(
    [
      "event_type", "event_author", "entity_name", "project_name", "artifact_collection_name", "artifact_version",
      "artifact_version_string", "alias", "tag", "run_id", "run_name", "run_state", "metric_name", "metric_value",
    ].map((name) => [name, `\${${name}}`]),
  ),
).replace('"${metric_value}"', "${metric_value}");

const MASK = "***";

export type Values = Readonly<Record<string, unknown>>;

export interface Rendered {
  body: string;
  /** Names that no event has. Inside strings they stay as they are. */
  unknown: string[];
  /** Why the body is no JSON, or null. */
  error: string | null;
}

interface Piece {
  kind: "text" | "braced" | "plain" | "metadata";
  text: string;
  inString: boolean;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const METADATA = /\$\{artifact_metadata\.([^}"\\\u0000-\u001f\u007f]+)\}/y;

function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0] ?? "";
}

/** Splits a template in one pass that follows JSON strings. */
export function scan(template: string): Piece[] {
  const pieces: Piece[] = [];
  let inString = false;
  let text = "";
  const flush = () => {
    if (text !== "") pieces.push({ kind: "text", text, inString });
    text = "";
  };
  const token = (kind: Piece["kind"], name: string) => {
    flush();
    pieces.push({ kind, text: name, inString });
  };
  for (let at = 0; at < template.length; ) {
    const letter = template.charAt(at);
    if (inString && letter === "\\") {
      text += template.slice(at, at + 2);
      at += 2;
    } else if (template.startsWith("$${", at)) {
      text += "${";
      at += 3;
    } else if (template.startsWith("${", at)) {
      METADATA.lastIndex = at;
      const metadata = METADATA.exec(template);
      const name = nameAt(template, at + 2);
      if (metadata) {
        token("metadata", metadata[1] ?? "");
        at += metadata[0].length;
      } else if (name !== "" && template[at + 2 + name.length] === "}") {
        token("braced", name);
        at += name.length + 3;
      } else {
        text += letter;
        at += 1;
      }
    } else if (letter === "$" && nameAt(template, at + 1) !== "") {
      const name = nameAt(template, at + 1);
      token("plain", name);
      at += name.length + 1;
    } else {
      if (letter === '"') inString = !inString;
      text += letter;
      at += 1;
    }
  }
  flush();
  return pieces;
}

function insert(value: unknown, inString: boolean): string {
  if (!inString) return JSON.stringify(value ?? null);
  if (value === null || value === undefined) return "";
  return JSON.stringify(typeof value === "string" ? value : JSON.stringify(value)).slice(1, -1);
}

export interface RenderOptions {
  values: Values;
  metadata?: Values;
  /** Names of the credentials that the webhook has; they are shown as ***. */
  credentials?: readonly string[];
}

/** Renders the template with the values of an event. Never throws. */
export function renderTemplate(template: string, { values, metadata = {}, credentials = [] }: RenderOptions): Rendered {
  const unknown = new Set<string>();
  const body = scan(template).map(({ kind, text, inString }) => {
    if (kind === "text") return text;
    if (kind === "metadata") return insert(Object.hasOwn(metadata, text) ? metadata[text] : null, inString);
    if (credentials.includes(text)) return inString ? MASK : JSON.stringify(MASK);
    if (kind === "plain") return `$${text}`;
    if ((VARIABLES as readonly string[]).includes(text)) return insert(values[text], inString);
    unknown.add(text);
    return `\${${text}}`;
  }).join("");
  let error: string | null = null;
  try {
    JSON.parse(body);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  return { body, unknown: [...unknown], error };
}

/** The values that the server takes from a stored event. */
export function eventValues(event: Event, automation: string): Values {
  const data = event.data;
  const values: Record<string, unknown> = { ...data, event_type: event.type, event_id: event.id, automation_name: automation || "my automation" };
  // The server writes milliseconds here; events carry microseconds.
  values.event_time = event.time.replace(/(\.\d{3})\d*Z$/, "$1Z");
  if (event.author) values.event_author = event.author;
  if (event.subject.run_id) values.run_id ??= event.subject.run_id;
  const id = event.subject.artifact_id?.replace(/^art_/, "");
  if (id) {
    values.artifact_version ??= `svc-artifact://_id/${btoa(`Artifact:${id}`)}`;
    const version = data.alias || (data.artifact_version_index === undefined ? "" : `v${String(data.artifact_version_index)}`);
    if (version) values.artifact_version_string ??= `${String(data.entity_name ?? "")}/${String(data.project_name ?? "")}/${String(data.artifact_collection_name ?? "")}:${String(version)}`;
  }
  return values;
}

/** Values for a preview when no event of the kind has happened yet. */
export function sampleValues(type: string, place: { team: string; project: string | null }, automation: string): Values {
  const common = {
    event_type: type, event_id: "evt_01M7HYRVR50QBJA8SGTNDY5KBE", event_time: "2026-11-16T10:34:45.381Z", event_author: "ada",
    entity_name: place.team, project_name: place.project ?? "churn", automation_name: automation || "my automation",
  };
  const version = `${place.team}/${common.project_name}/model`;
  const artifact = {
    artifact_collection_name: "model", artifact_version: "svc-artifact://_id/QXJ0aWZhY3Q6MQ==", artifact_version_string: `${version}:v3`,
    artifact_version_index: 3,
  };
  const run = { run_id: "f3k9x2", run_name: "exp-12", run_state: "RUNNING" };
  const metric = { metric_name: "val.loss", metric_value: 0.42, metric_threshold: 0.5 };
  if (type.includes("ALIAS") || type === "LINK_ARTIFACT") {
    return { ...common, ...artifact, alias: "production", artifact_version_string: `${version}:production` };
  }
  if (type.includes("TAG")) return { ...common, ...artifact, tag: "approved" };
  if (type.includes("ARTIFACT")) return { ...common, ...artifact };
  if (type === "RUN_STATE") return { ...common, ...run, run_state: "FAILED" };
  if (type.startsWith("RUN_METRIC")) return { ...common, ...run, ...metric };
  if (type === "TRACE_METRIC_THRESHOLD") return { ...common, metric_name: "error_rate", metric_value: 0.14, metric_threshold: 0.1 };
  if (type.startsWith("TRAINING_JOB")) {
    return { ...common, training_job_id: "job_01M7HZ3PKX", model_name: "helper", ...(type.endsWith("FAILED") ? { error_message: "The loss is not finite." } : {}) };
  }
  return common;
}

/** Writes a template on several lines when it is JSON, for the editor. */
export function prettyTemplate(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
