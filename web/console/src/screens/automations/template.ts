// Payload templates in the form of an automation. The server renders them.

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

/** Writes a template on several lines when it is JSON, for the editor. */
export function prettyTemplate(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
