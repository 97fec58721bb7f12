// Made by make_types.mjs from tests/golden/openapi.json. Do not edit.

export interface AcceptedInvitation {
  team: string;
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** The session of a new user; null for a user who was signed in. */
  session: Session | null;
}

export interface Agent {
  /** entity/project */
  project_id: string;
  agent_name: string;
  invocation_count: number;
  span_count: number;
  total_input_tokens: number;
  total_output_tokens: number;
  total_duration_ms: number;
  error_count: number;
  first_seen: string | null;
  last_seen: string | null;
  /** With include_costs; null when no price is known. */
  total_cost_usd: number | null;
}

export interface AgentFilters {
  /** Exactly. */
  agent_name?: string | null;
}

export interface AgentSearch {
  /** entity/project */
  project_id: string;
  /** Text to find anywhere in a message; case-sensitive. */
  query?: string;
  /** Find letters of either case. */
  case_insensitive?: boolean;
  trace_id?: string | null;
  /** `tool` selects tool calls and tool results. */
  roles?: Array<"" | "user" | "assistant" | "system" | "tool" | "tool_call" | "tool_result"> | null;
  conversation_id?: string | null;
  agent_name?: string | null;
  provider_name?: string | null;
  request_model?: string | null;
  /** Truncate texts to 500 characters. */
  truncate_content?: boolean;
  /** Inclusive. */
  started_after?: string | null;
  /** Exclusive. */
  started_before?: string | null;
  /** Maximum number of messages. */
  limit?: number;
  offset?: number;
}

export interface AgentSearchConversation {
  /** `__NO_CONVERSATION__` for spans without one. */
  conversation_id: string;
  conversation_name: string;
  agent_name: string;
  /** Newest first. */
  matched_messages: AgentSearchMatch[];
  last_activity: string;
}

export interface AgentSearchMatch {
  span_id: string;
  trace_id: string;
  role: string;
  content_preview: string;
  /** MD5 of the text. */
  content_digest: string;
  started_at: string;
}

export interface AgentSearchResults {
  results: AgentSearchConversation[];
  /** Number of conversations on this page. */
  total_conversations: number;
}

export interface AgentSort {
  field: string;
  direction?: "asc" | "desc";
}

export interface AgentVersion {
  /** entity/project */
  project_id: string;
  agent_name: string;
  agent_version: string;
  invocation_count: number;
  span_count: number;
  total_input_tokens: number;
  total_output_tokens: number;
  total_duration_ms: number;
  error_count: number;
  first_seen: string | null;
  last_seen: string | null;
  /** With include_costs; null when no price is known. */
  total_cost_usd: number | null;
}

export interface AgentVersions {
  versions: AgentVersion[];
  /** Number of rows before paging. */
  total_count: number;
}

export interface AgentVersionsQuery {
  /** entity/project */
  project_id: string;
  agent_name: string;
  /** Accepted for compatibility; ignored. Newest first. */
  sort_by?: AgentSort[] | null;
  limit?: number;
  offset?: number;
  include_costs?: boolean;
}

export interface Agents {
  agents: Agent[];
  /** Number of rows before paging. */
  total_count: number;
}

export interface AgentsQuery {
  /** entity/project */
  project_id: string;
  filters?: AgentFilters | null;
  sort_by?: AgentSort[] | null;
  limit?: number;
  offset?: number;
  include_costs?: boolean;
}

export interface AggregatedUsage {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  prompt_tokens_total_cost: number | null;
  completion_tokens_total_cost: number | null;
  cache_read_input_tokens_total_cost: number | null;
  cache_creation_input_tokens_total_cost: number | null;
}

export interface AliasesRemoveRequest {
  /** `entity/project`. */
  project_id: string;
  aliases: string[];
}

export interface AliasesReply {
  aliases: string[];
}

export interface AliasesSetRequest {
  /** `entity/project`. */
  project_id: string;
  /** A digest, `latest`, `vN` or another alias. */
  digest: string;
  /** Without `/` and `:`; not `latest`, `vN`. */
  aliases: string[];
}

export interface AndOperation {
  /** All operands are true. */
  $and: Array<LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation>;
}

export interface AnnotationItems {
  items: AnnotationQueueItem[];
}

export interface AnnotationItemsAdd {
  /** entity/project */
  project_id: string;
  /** Unknown ids are ignored. */
  call_ids: string[];
  /** Paths in the calls that annotators see. */
  display_fields: string[];
}

export interface AnnotationItemsAdded {
  added_count: number;
  /** Calls that were already in the queue. */
  duplicates: number;
}

export interface AnnotationItemsFilter {
  id?: string | null;
  call_id?: string | null;
  call_op_name?: string | null;
  call_trace_id?: string | null;
  added_by?: string | null;
  /** Items in any of these states. */
  annotation_states?: Array<"unstarted" | "in_progress" | "completed" | "skipped"> | null;
}

export interface AnnotationItemsQuery {
  /** entity/project */
  project_id: string;
  filter?: AnnotationItemsFilter | null;
  /** Sort keys. Default: insertion order. */
  sort_by?: SortBy[] | null;
  /** Null: all. */
  limit?: number | null;
  offset?: number | null;
  include_position?: boolean;
}

export interface AnnotationProgress {
  /** entity/project */
  project_id: string;
  /** in_progress, completed or skipped. */
  annotation_state: "in_progress" | "completed" | "skipped";
}

export interface AnnotationProgressReply {
  item: AnnotationQueueItem;
}

export interface AnnotationQueue {
  id: string;
  /** entity/project */
  project_id: string;
  name: string;
  description: string;
  /** References of the scorers that annotators fill in for each call. */
  scorer_refs: string[];
  created_at: string;
  created_by: string;
  updated_at: string;
  deleted_at: string | null;
}

export interface AnnotationQueueCreate {
  /** entity/project */
  project_id: string;
  name: string;
  description?: string;
  /** References of the scorers that annotators fill in for each call. */
  scorer_refs: string[];
}

export interface AnnotationQueueCreated {
  id: string;
}

export interface AnnotationQueueItem {
  id: string;
  /** entity/project */
  project_id: string;
  queue_id: string;
  call_id: string;
  call_started_at: string;
  /** Value when the call was added. */
  call_ended_at: string | null;
  call_op_name: string;
  call_trace_id: string;
  /** Paths in the call that annotators see. */
  display_fields: string[];
  added_by: string | null;
  /** Newest state of any annotator. */
  annotation_state: "unstarted" | "in_progress" | "completed" | "skipped";
  /** The annotator of that state. */
  annotator_user_id: string | null;
  created_at: string;
  created_by: string;
  updated_at: string;
  /** Always null. */
  deleted_at: string | null;
  /** Starts at 1. Only with include_position. */
  position_in_queue: number | null;
}

export interface AnnotationQueueReply {
  queue: AnnotationQueue;
}

export interface AnnotationQueueStats {
  queue_id: string;
  total_items: number;
  /** Items that at least one annotator completed or skipped. */
  completed_items: number;
}

export interface AnnotationQueueUpdate {
  /** entity/project */
  project_id: string;
  /** Null: unchanged. */
  name?: string | null;
  /** Null: unchanged. */
  description?: string | null;
  /** Null: unchanged. */
  scorer_refs?: string[] | null;
}

export interface AnnotationQueuesQuery {
  /** entity/project */
  project_id: string;
  /** Part of the name, in any case. */
  name?: string | null;
  /** Sort keys. Default: newest first. */
  sort_by?: SortBy[] | null;
  /** Null: all. */
  limit?: number | null;
  offset?: number | null;
}

export interface AnnotationQueuesStats {
  /** In the order of the request. */
  stats: AnnotationQueueStats[];
}

export interface AnnotationQueuesStatsRequest {
  /** entity/project */
  project_id: string;
  queue_ids: string[];
}

export interface ApiKey {
  /** Id for revoking the key. */
  id: string;
  /** First part of the key, which identifies it. */
  key_id: string;
  name: string;
  /** User name. */
  owner: string;
  created_at: string;
  /** Null: never. */
  expires_at: string | null;
  /** Accurate to about ten minutes. */
  last_used_at: string | null;
}

export interface ApiKeyPage {
  items: ApiKey[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ArtifactCollection {
  /** Assigned by the server: `col_…`. */
  id: string;
  /** Unique in its project. */
  name: string;
  /** Type of all its versions. */
  type: string;
  /** `SEQUENCE`: contains versions; `PORTFOLIO`: contains links. */
  kind: string;
  description: string;
  tags: string[];
  /** Username. */
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface ArtifactCollectionChange {
  /** A new name; paths change with it. */
  name?: string;
  description?: string;
}

export interface ArtifactCollectionPage {
  items: ArtifactCollection[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ArtifactEvaluationUse {
  /** Id of the evaluation run. */
  run: string;
  team: string;
  project: string;
  /** Name of the model object. */
  model: string;
  started_at: string;
}

export interface ArtifactFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Base64 of the MD5. */
  digest: string;
  /** URI of a reference. */
  ref: string | null;
  /** URL of the file; requires an API key. */
  url: string;
}

export interface ArtifactFilePage {
  items: ArtifactFile[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ArtifactJobUse {
  /** Id of the training job. */
  id: string;
  team: string;
  project: string;
  /** Name of the trained model. */
  model: string;
  /** `PENDING`, `RUNNING`, `COMPLETED`, `FAILED` or `CANCELLED`. */
  status: string;
  created_at: string;
}

export interface ArtifactMembership {
  /** Assigned by the server: `mem_…`. */
  id: string;
  /** Name of the collection. */
  collection: string;
  /** Version number in this collection, the 3 of `v3`. */
  version_index: number;
  /** Aliases in this collection. */
  aliases: string[];
  /** The version: `art_…`. */
  artifact_id: string;
  /** Source of the link: `entity/project/name:v3`. */
  source: string;
}

export interface ArtifactNames {
  items: string[];
}

export interface ArtifactRunUse {
  team: string;
  project: string;
  /** Id of the run. */
  run: string;
  name: string;
  state: "pending" | "running" | "finished" | "failed" | "crashed" | "killed" | "preempted";
  /** First use. */
  used_at: string;
}

export interface ArtifactUpload {
  /** Path of the first entry with this file. */
  path: string;
  /** Base64 of the MD5. */
  digest: string;
  method: string;
  /** Signed URL, valid for one hour. */
  url: string;
  /** Headers to send. */
  headers: Record<string, string>;
}

export interface ArtifactUploadPaths {
  paths: string[];
}

export interface ArtifactUploads {
  uploads: ArtifactUpload[];
}

export interface ArtifactUsedBy {
  /** Runs with the version as input. */
  runs: ArtifactRunUse[];
  /** Training jobs on its data. */
  jobs: ArtifactJobUse[];
  /** Evaluation runs of its project whose model names the version. */
  evaluations: ArtifactEvaluationUse[];
  /** There may be more. */
  truncated: boolean;
}

export interface ArtifactVersion {
  /** Assigned by the server: `art_…`. */
  id: string;
  /** Name of its collection. */
  collection: string;
  /** Type of all versions in the collection. */
  type: string;
  state: "PENDING" | "COMMITTED" | "PENDING_DELETION" | "DELETED" | "GARBAGE_COLLECTED";
  /** Version number, the 3 of `v3`; null until the commit. */
  version_index: number | null;
  /** Source of a link, `entity/project/name:v3`; null for other versions. */
  source: string | null;
  /** Digest of the manifest. */
  digest: string;
  /** Bytes of all files. */
  size: number;
  file_count: number;
  metadata: Record<string, unknown>;
  description: string | null;
  /** Time to live in seconds; -1: the default of the team; -2: unlimited. */
  ttl_seconds: number;
  /** Time of deletion; null: never. */
  expires_at: string | null;
  /** Run that created the version. */
  run_id: string | null;
  aliases: string[];
  tags: string[];
  /** Username. */
  created_by: string;
  created_at: string;
  updated_at: string;
  committed_at: string | null;
}

export interface ArtifactVersionBegun {
  version: ArtifactVersion;
  /** The collection has this content already. */
  deduplicated: boolean;
  /** Files to upload. */
  uploads: ArtifactUpload[];
}

export interface ArtifactVersionChange {
  /** Replaces the old metadata. */
  metadata?: Record<string, unknown>;
  /** Members to add or replace. */
  metadata_merge?: Record<string, unknown>;
  description?: string | null;
  /** Null: unchanged. */
  ttl_seconds?: number | null;
}

export interface ArtifactVersionPage {
  items: ArtifactVersion[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface AuditActor {
  id: string | null;
  username: string | null;
  /** Public id of the API key, or the id of the session. */
  credential: string | null;
}

export interface AuditEntry {
  id: string;
  created_at: string;
  /** All null: the server itself, or somebody who was not signed in. */
  actor: AuditActor;
  /** Such as `api_key.create`. */
  action: string;
  target: AuditTarget;
  /** Name at the time of the change. */
  team: string | null;
  /** Name at the time of the change. */
  project: string | null;
  /** Address of the client. */
  address: string | null;
  user_agent: string | null;
  request_id: string | null;
  /** Facts about the change, as texts. Never a secret value. */
  details: Record<string, unknown>;
}

export interface AuditPage {
  items: AuditEntry[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface AuditTarget {
  kind: string;
  id: string | null;
  name: string | null;
}

export interface Automation {
  /** Assigned by the server. */
  id: string;
  /** Unique in the team that owns the scope. */
  name: string;
  description: string | null;
  /** Only enabled automations run. */
  enabled: boolean;
  /** The scope that the automation watches. */
  scope: AutomationScope;
  /** The event that the automation matches. */
  event: AutomationEvent;
  /** The action that the automation runs. */
  action: AutomationAction;
  /** Username. */
  created_by: string | null;
  created_at: string;
  updated_at: string | null;
  last_executed_at: string | null;
  /** Only in responses to creating or changing the automation. */
  warnings?: TemplateWarning[];
}

export interface AutomationAction {
  /** `webhook` or `noop`. */
  type: string;
  /** Id of the webhook to call. */
  webhook_id: string | null;
  /** The preset that the payload was copied from. */
  preset: string | null;
  /** The template; null for the default template. */
  payload: string | null;
}

export interface AutomationChange {
  /** Unique in the team. */
  name?: string;
  description?: string | null;
  /** Only enabled automations run. */
  enabled?: boolean;
  /** Replaced as a whole. */
  scope?: AutomationScope;
  /** Replaced as a whole. */
  event?: AutomationEvent;
  /** Replaced as a whole. */
  action?: NewAutomationAction;
}

export interface AutomationEvent {
  /** Type of the event, for example `LINK_ARTIFACT`. */
  type: string;
  /** RE2; matches anywhere in an alias. */
  alias_regex?: string | null;
  /** RE2; matches anywhere in a tag. */
  tag_regex?: string | null;
  /** Filter of run events. */
  run_filter?: RunFilter | null;
  /** Condition of metric events. */
  metric?: MetricCondition | null;
  /** `RUNNING`, `FINISHED`, `FAILED`. */
  states?: Array<"RUNNING" | "FINISHED" | "FAILED" | "CRASHED"> | null;
  /** Condition of `EVALUATION_FINISHED` events. */
  score?: ScoreCondition | null;
}

export interface AutomationPage {
  items: Automation[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface AutomationPreview {
  /** Credentials show as `***`; null: the action sends nothing. */
  body: string | null;
  warnings: TemplateWarning[];
  /** Whether the automation matches the stored event. Null without `event_id`, and for events of metric conditions, which belong to the automation that raised them. */
  matches: boolean | null;
}

export interface AutomationPreviewRequest {
  /** The value of `automation_name`. */
  name?: string;
  description?: string | null;
  /** Only enabled automations run. */
  enabled?: boolean;
  /** The scope that the automation watches. */
  scope: AutomationScope;
  /** The event that the automation matches. */
  event: AutomationEvent;
  /** The action that the automation runs. */
  action: NewAutomationAction;
  /** The values for the template. */
  sample?: EventSample | null;
  /** Id of a stored event, instead of `sample`. */
  event_id?: string | null;
}

export interface AutomationScope {
  /** `organization`, `team`, `project`, `registry` or `collection`. */
  type: string;
  /** Name of the team, for a team, a project, or a collection in a project. */
  team?: string | null;
  /** Name of the project, for a project or a collection in a project. */
  project?: string | null;
  /** Name of the registry, for a registry or a collection in a registry. */
  registry?: string | null;
  /** Name of the collection, for a collection. */
  collection?: string | null;
}

export interface BackupFile {
  /** Relative to the folder `traces` of the data folder. */
  name: string;
  /** Number of bytes to copy, from the beginning of the file. */
  bytes: number;
}

export interface BackupHold {
  /** Id of the hold, used in the other requests. */
  id: string;
  /** Time after which the hold ends unless it is renewed. */
  lease_seconds: number;
}

export interface BackupMark {
  /** Files of the trace store. A copy that is made during the hold contains all writes that were acknowledged before this request. */
  files: BackupFile[];
}

export interface BulkJob {
  id: string;
  action: "delete" | "score" | "add_to_queue" | "add_to_dataset";
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  cancel_requested: boolean;
  /** Number of calls; null until they are selected. */
  total: number | null;
  /** Calls that were processed, including failed ones. */
  done: number;
  /** Calls that could not be processed. */
  failed: number;
  /** The reason of a failed job. */
  error: string | null;
  parameters: Record<string, unknown>;
  /** Id of the user. */
  created_by: string;
  created_at: string;
  updated_at: string;
  finished_at: string | null;
}

export interface BulkJobPage {
  items: BulkJob[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Call {
  id: string;
  /** entity/project */
  project_id: string;
  /** A name, or a reference. */
  op_name: string;
  display_name: string | null;
  trace_id: string;
  /** Null: a root. */
  parent_id: string | null;
  thread_id: string | null;
  turn_id: string | null;
  started_at: string;
  attributes: Record<string, unknown>;
  inputs: Record<string, unknown>;
  /** Null: running. */
  ended_at: string | null;
  exception: string | null;
  output: unknown;
  /** The stored summary; `svc` contains the derived members: status, latency_ms, trace_name, costs, feedback. */
  summary: Record<string, unknown>;
  svc_user_id: string | null;
  /** With include_usernames. */
  svc_username?: string | null;
  svc_run_id: string | null;
  svc_run_step: number | null;
  svc_run_step_end: number | null;
  /** Always null. */
  deleted_at: string | null;
  /** Time at which retention deletes the call. */
  expire_at: string | null;
  /** With include_storage_size. */
  storage_size_bytes: number | null;
  /** Size of the trace; only on its root. */
  total_storage_size_bytes: number | null;
}

export interface CallAttributePath {
  /** A field of the query language. `\.` is a dot in a name. */
  path: string;
  /** The most frequent type. */
  type: "string" | "number" | "boolean" | "null" | "array";
  /** Calls with a value at the path. */
  count: number;
}

export interface CallBatch {
  /** In the order of the request. */
  res: CallBatchItem[];
}

export interface CallBatchEndMode {
  mode?: "end";
  req: CallEnd;
}

export interface CallBatchItem {
  /** Only for a start. */
  id?: string;
  /** Only for a start. */
  trace_id?: string;
}

export interface CallBatchStartMode {
  mode?: "start";
  req: CallStart;
}

export interface CallEnd {
  end: CallEndInput;
}

export interface CallEndInput {
  /** entity/project */
  project_id: string;
  /** The call that ends. */
  id: string;
  trace_id?: string | null;
  is_eval?: boolean | null;
  started_at?: string | null;
  ended_at: string;
  exception?: string | null;
  output?: unknown;
  summary: CallSummary;
  svc_run_step_end?: number | null;
}

export interface CallFacet {
  /** As in the request. */
  field: string;
  /** Most calls first. */
  values: CallFacetValue[];
  /** Calls with a value that is not listed and begins with the prefix. */
  other: number;
  /** Calls without a value. */
  missing: number;
  /** True: only the newest calls of the selection were counted. */
  sampled: boolean;
  /** Number of calls that were read. */
  rows: number;
}

export interface CallFacetRequest {
  /** op_name, status, model, user, trace_roots_only, another column, or a path below attributes, inputs, output or summary. */
  field: string;
  /** Number of values. */
  limit?: number;
  /** Only values that begin with this text. */
  prefix?: string;
}

export interface CallFacetValue {
  value: string;
  count: number;
}

export interface CallGroup {
  /** Empty for missing and other values. */
  value: string;
  kind: "value" | "missing" | "other";
  /** Calls in the whole range. */
  count: number;
}

export interface CallList {
  calls: Array<Call | ListedCall>;
  /** `cursor` of the next page; null on the last page. */
  next_cursor?: string | null;
}

export interface CallMatch {
  field: "name" | "inputs" | "output";
  /** The text around the first match. Of inputs and output, a part of their JSON. */
  snippet: string;
  /** Begin of the match in the snippet, in characters (code points). */
  start: number;
  /** End of the match, exclusive. */
  end: number;
}

export interface CallMetric {
  metric: "latency_ms" | "call_count" | "error_count";
  aggregations?: Array<"sum" | "avg" | "min" | "max" | "count" | "count_true" | "count_false">;
  /** 0 to 100. */
  percentiles?: number[];
}

export interface CallPageEnd {
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface CallRead {
  /** entity/project */
  project_id: string;
  id: string;
  include_costs?: boolean | null;
  include_storage_size?: boolean | null;
  include_total_storage_size?: boolean | null;
}

export interface CallReadReply {
  /** Null if the call does not exist. */
  call: Call | null;
}

export interface CallStart {
  start: CallStartInput;
}

export interface CallStartInput {
  /** Default: generated. */
  id?: string | null;
  /** Default: generated. */
  trace_id?: string | null;
  /** entity/project */
  project_id: string;
  /** A plain name, or the reference of an op. */
  op_name: unknown;
  display_name?: string | null;
  /** Null for the root of a trace. */
  parent_id?: string | null;
  thread_id?: string | null;
  turn_id?: string | null;
  started_at: string;
  attributes: Record<string, unknown>;
  inputs: Record<string, unknown>;
  otel_dump?: Record<string, unknown> | null;
  /** Set by the server. */
  svc_user_id?: string | null;
  /** entity/project/run */
  svc_run_id?: string | null;
  svc_run_step?: number | null;
}

export interface CallSummary {
  /** Tokens by model. */
  usage?: Record<string, TokenUsage>;
  /** Number of calls by status, of the call and its descendants. */
  status_counts?: Record<string, number>;
}

export interface CallUpdate {
  /** entity/project */
  project_id: string;
  call_id: string;
  /** Empty: removes the name. */
  display_name?: string | null;
  /** Set by the server. */
  svc_user_id?: string | null;
}

export interface CallUpsertBatch {
  /** Starts and ends in any order. */
  batch: Array<CallBatchStartMode | CallBatchEndMode>;
}

export interface CallsAttributesReply {
  /** Most calls first. */
  attributes: CallAttributePath[];
  /** True: there are more paths. */
  truncated: boolean;
  /** True: only the newest calls of the selection were read. */
  sampled: boolean;
  /** Number of calls that were read. */
  rows: number;
}

export interface CallsAttributesRequest {
  /** entity/project */
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  /** Only paths that begin with this text, such as `attributes.tenant`. */
  prefix?: string;
  limit?: number;
}

export interface CallsDelete {
  /** entity/project */
  project_id: string;
  /** At most 1000. */
  call_ids: string[];
  /** Set by the server. */
  svc_user_id?: string | null;
}

export interface CallsDeleted {
  num_deleted: number;
}

export interface CallsFacetsReply {
  /** In the order of the request. */
  facets: CallFacet[];
  /** True if any facet is. */
  sampled: boolean;
  /** The smallest number of any facet. */
  rows: number;
}

export interface CallsFacetsRequest {
  /** entity/project */
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  facets: CallFacetRequest[];
}

export interface CallsFilter {
  /** Names or references. A trailing `:*` matches every version. */
  op_names?: string[] | null;
  /** Calls with any of these references in the inputs. */
  input_refs?: string[] | null;
  /** Calls with any of these references in the output. */
  output_refs?: string[] | null;
  parent_ids?: string[] | null;
  trace_ids?: string[] | null;
  call_ids?: string[] | null;
  /** An empty list matches nothing. */
  thread_ids?: string[] | null;
  /** An empty list matches nothing. */
  turn_ids?: string[] | null;
  /** Only calls without a parent. */
  trace_roots_only?: boolean | null;
  svc_user_ids?: string[] | null;
  /** entity/project/run, or a run of this project. */
  svc_run_ids?: string[] | null;
}

export interface CallsFound {
  /** Newest first. */
  calls: FoundCall[];
}

export interface CallsQuery {
  /** entity/project */
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  /** Null: all. */
  limit?: number | null;
  offset?: number | null;
  /** Sort keys. Default: by started_at, then id. */
  sort_by?: SortBy[] | null;
  /** Null: all. With cursor, include_cursor or preview_bytes, calls contain nothing else but their id; `summary.svc` selects the derived members. */
  columns?: string[] | null;
  /** Paths whose references are replaced by the objects they name. */
  expand_columns?: string[] | null;
  /** False: expand only for filters and sort order. */
  return_expanded_column_values?: boolean | null;
  include_costs?: boolean | null;
  include_feedback?: boolean | null;
  include_storage_size?: boolean | null;
  include_total_storage_size?: boolean | null;
  include_usernames?: boolean | null;
  /** `next_cursor` of the previous page, with the same filter, query and sort keys. */
  cursor?: string | null;
  /** End with {"next_cursor": …}. Requires a limit of at most 10000. Texts are sorted by their first 128 characters. */
  include_cursor?: boolean | null;
  /** Replace inputs, output, attributes, exception and the stored summary by previews if they are larger. Attributes then have no `otel_span`. */
  preview_bytes?: number | null;
}

export interface CallsQueryStats {
  /** entity/project */
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  /** Maximum number of calls to count. */
  limit?: number | null;
  include_total_storage_size?: boolean | null;
  /** Paths whose references are expanded for filters. */
  expand_columns?: string[] | null;
}

export interface CallsScore {
  /** entity/project */
  project_id: string;
  /** Missing and unfinished calls are skipped. */
  call_ids: string[];
  /** Built-in scorers. */
  scorer_refs: string[];
}

export type CallsScoreReply = Record<string, unknown>;

export interface CallsSearch {
  /** entity/project */
  project_id: string;
  /** Text to find in the name, inputs or output, in letters of either case. */
  text: string;
  /** Maximum number of calls. */
  limit?: number;
  /** Earliest start, inclusive. */
  since?: string | null;
  /** Latest start, exclusive. */
  until?: string | null;
}

export interface CallsStats {
  /** Matching calls, at most `limit`. */
  count: number;
  /** True if more calls match than were counted. */
  has_more: boolean;
  /** Null unless include_total_storage_size is true. */
  total_storage_size_bytes: number | null;
}

export interface CallsStatsReply {
  start: string;
  end: string;
  /** Seconds, as used. */
  granularity: number;
  timezone: string;
  /** Buckets by model: timestamp, model, one member per requested figure, count. With group_by: group and group_kind instead of model. */
  usage_buckets: Array<Record<string, unknown>>;
  /** Buckets: timestamp, one member per requested figure, count. With group_by also group and group_kind. */
  call_buckets: Array<Record<string, unknown>>;
  /** With group_by: the groups, most calls first, then missing and other values. */
  groups?: CallGroup[];
  /** True if there are more than 2 million calls and the percentiles of calls are those of a sample of about 1 million. Buckets with few calls and all other figures are exact. */
  sampled?: boolean;
}

export interface CallsStatsRequest {
  /** entity/project */
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  /** Inclusive. */
  start: string;
  /** Exclusive. Default: now. */
  end?: string | null;
  /** Seconds. Default: chosen for the range. Increased so that there are at most 10,000 buckets. */
  granularity?: number | null;
  /** By model. */
  usage_metrics?: UsageMetric[] | null;
  call_metrics?: CallMetric[] | null;
  /** Divides every bucket by the values of one dimension: the 20 values with the most calls, the calls without a value and the others. Usage is then by group instead of by model. */
  group_by?: string | null;
  /** Time zone whose midnight aligns buckets of hours and days, such as Europe/Berlin. */
  timezone?: string;
}

export interface CallsUsageRequest {
  /** entity/project */
  project_id: string;
  call_ids: string[];
  include_costs?: boolean;
  /** Maximum number of calls to read from their traces. */
  limit?: number;
}

export interface CatalogueModel {
  /** Assigned by the server. */
  id: string;
  /** The `model` of requests. */
  name: string;
  /** For admins; null for others. */
  file: string | null;
  /** SHA-256 of an uploaded file. For admins; null for others. */
  file_sha256: string | null;
  /** Size of an uploaded file. For admins; null for others. */
  file_bytes: number | null;
  /** For admins; null for others. */
  folder: string | null;
  /** Has a file or a folder on the server, so that it can be the base model of training. */
  trainable: boolean;
  /** Context length in tokens per request to the engine; 0: the value in the file, up to a limit. */
  context: number;
  /** Load the model when the server starts, not at the first request. */
  start_at_boot: boolean;
  owned_by: string;
  /** Supported kinds of requests. */
  abilities: Array<"chat" | "completions" | "embeddings">;
  /** For admins; null for others. */
  targets: ModelTarget[] | null;
  /** Names of models that are tried in order when this model fails. */
  fallbacks: string[];
  /** For admins: the teams that may use it. Null: all teams. */
  teams: string[] | null;
  /** Maximum number of tokens of one completion; 0: unknown. */
  max_output_tokens: number;
  created_at: string;
  updated_at: string;
}

export interface CatalogueModelPage {
  items: CatalogueModel[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export type ChatAgentHandoff = Record<string, unknown>;

export interface ChatAgentStart {
  model: string | null;
  system_instructions: string | null;
  /** JSON. */
  tool_definitions: string | null;
  status: string | null;
}

export interface ChatAssistantMessage {
  /** Empty if the model returned only reasoning, or failed. */
  text: string;
  model: string | null;
  reasoning_content: string | null;
  reasoning_tokens: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  /** Null if no price is known. */
  input_cost_usd: number | null;
  output_cost_usd: number | null;
  total_cost_usd: number | null;
  duration_ms: number | null;
  status: string | null;
  content_refs: string[];
}

export interface ChatCompletionRequest {
  /** A model of `/v1/models` or the name of an artifact. */
  model: string;
  /** The conversation. */
  messages: CompletionMessage[];
  /** Stream the completion as server-sent events. */
  stream?: boolean | null;
  /** Only with `stream`. */
  stream_options?: StreamOptions | null;
  /** Maximum number of tokens of the completion. */
  max_tokens?: number | null;
  /** Number of completions. */
  n?: number | null;
  /** Sampling temperature; 0 always selects the most likely token. */
  temperature?: number | null;
  /** Nucleus sampling: samples only from the most likely tokens with this total probability. */
  top_p?: number | null;
  /** Maximum number of tokens of the completion; overrides `max_tokens`. */
  max_completion_tokens?: number | null;
}

export interface ChatContextCompacted {
  compaction_summary: string | null;
  compaction_items_before: number | null;
  compaction_items_after: number | null;
}

export interface ChatMessage {
  /** Which of the members below is set; the others are null. */
  type: "user_message" | "assistant_message" | "tool_call" | "agent_handoff" | "agent_start" | "context_compacted";
  /** Null for user messages. */
  span_id: string | null;
  agent_name: string | null;
  agent_version: string | null;
  status_code: string | null;
  started_at: string | null;
  user_message: ChatUserMessage | null;
  assistant_message: ChatAssistantMessage | null;
  tool_call: ChatToolCall | null;
  agent_start: ChatAgentStart | null;
  /** Reserved. */
  agent_handoff: ChatAgentHandoff | null;
  context_compacted: ChatContextCompacted | null;
  /** Feedback on the span. */
  feedback: Array<Record<string, unknown>> | null;
}

export interface ChatToolCall {
  tool_name: string | null;
  tool_arguments: string | null;
  tool_result: string | null;
  duration_ms: number | null;
  status: string | null;
  content_refs: string[];
}

export interface ChatUserMessage {
  text: string;
  /** References to attached files. */
  content_refs: string[];
}

export interface Checkpoint {
  id: string;
  /** Step 0 is the unchanged base model. */
  step: number;
  /** Numbers by name. */
  metrics: Record<string, unknown>;
}

export interface CheckpointDeletion {
  steps: number[];
}

export interface CheckpointList {
  /** Always `list`. */
  object?: string;
  data: Checkpoint[];
  /** Empty for an empty page. */
  first_id?: string;
  /** Pass it as `after` for the next page. */
  last_id?: string;
  has_more: boolean;
}

export interface CheckpointsDeleted {
  deleted_count: number;
  not_found_steps: number[];
}

export interface CodedError {
  detail: string;
  code: string;
}

export interface CompleteCall {
  /** A UUID, or an OpenTelemetry id. */
  id: string;
  trace_id: string;
  /** entity/project */
  project_id: string;
  /** A plain name, or the reference of an op. */
  op_name: unknown;
  display_name?: string | null;
  /** Null for the root of a trace. */
  parent_id?: string | null;
  thread_id?: string | null;
  turn_id?: string | null;
  started_at: string;
  attributes: Record<string, unknown>;
  inputs: Record<string, unknown>;
  otel_dump?: Record<string, unknown> | null;
  /** Set by the server. */
  svc_user_id?: string | null;
  /** entity/project/run */
  svc_run_id?: string | null;
  svc_run_step?: number | null;
  ended_at: string;
  exception?: string | null;
  output?: unknown;
  summary: CallSummary;
  svc_run_step_end?: number | null;
}

export interface CompleteCalls {
  batch: CompleteCall[];
}

export interface CompletionMessage {
  /** `system`, `user`, `assistant` or `tool`. */
  role: string;
  /** A text or a list of parts; null with tool calls. */
  content?: unknown;
}

export interface CompletionRequest {
  /** A model of `/v1/models` or the name of an artifact. */
  model: string;
  /** A text, a list of texts, or tokens. */
  prompt: unknown;
  /** Stream the completion as server-sent events. */
  stream?: boolean | null;
  /** Only with `stream`. */
  stream_options?: StreamOptions | null;
  /** Maximum number of tokens of the completion. */
  max_tokens?: number | null;
  /** Number of completions. */
  n?: number | null;
  /** Sampling temperature; 0 always selects the most likely token. */
  temperature?: number | null;
  /** Nucleus sampling: samples only from the most likely tokens with this total probability. */
  top_p?: number | null;
  /** Number of candidates to generate; the best are returned. */
  best_of?: number | null;
}

export interface CompletionTracing {
  /** Record every completion of the project as a call. */
  enabled: boolean;
}

export interface ContainsOperation {
  /** A text or list that contains another text. */
  $contains: ContainsSpec;
}

export interface ContainsSpec {
  input: LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation;
  substr: LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation;
  case_insensitive?: boolean | null;
}

export interface ConversationChat {
  conversation_id: string;
  /** Oldest first. */
  turns: TraceChat[];
  total_turns: number;
  /** True if older turns follow. */
  has_more: boolean;
  limit: number;
  offset: number;
  /** Cost of these turns. */
  total_cost_usd: number | null;
  /** With include_feedback. */
  feedback: Array<Record<string, unknown>> | null;
}

export interface ConversationChatRequest {
  /** entity/project */
  project_id: string;
  conversation_id: string;
  /** Maximum number of turns. */
  limit?: number;
  /** Number of the newest turns to skip. */
  offset?: number;
  include_feedback?: boolean;
}

export interface ConversationFeedback {
  /** Null for feedback on the whole conversation. */
  trace_id: string | null;
  feedback_type: string;
  tags: string[];
  ratings: ConversationRating[];
}

export interface ConversationRating {
  name: string;
  value: number;
  reason: string | null;
  confidence: number | null;
}

export interface ConversationSpan {
  operation_name: string;
  trace_id: string;
  span_id: string;
  status: string;
  duration_ms: number;
}

export interface ConversationSpans {
  conversation_id: string;
  /** The newest 200, oldest first. */
  spans: ConversationSpan[];
  spans_feedback: ConversationFeedback[];
}

export interface ConversationSpansRequest {
  /** entity/project */
  project_id: string;
  conversation_ids?: string[];
  /** Inclusive; with a time zone. */
  started_after?: string | null;
  /** Exclusive; with a time zone. */
  started_before?: string | null;
}

export interface ConversationsSpans {
  /** One per id, in the order of the request. */
  conversations: ConversationSpans[];
}

export interface ConvertOperation {
  /** A value converted to another type. */
  $convert: ConvertSpec;
}

export interface ConvertSpec {
  input: LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation;
  to: "double" | "string" | "int" | "bool" | "exists";
}

export interface Cost {
  id: string | null;
  /** The model. */
  llm_id: string | null;
  prompt_token_cost: number | null;
  completion_token_cost: number | null;
  cache_read_input_token_cost: number | null;
  cache_creation_input_token_cost: number | null;
  prompt_token_cost_unit: string | null;
  completion_token_cost_unit: string | null;
  effective_date: string | null;
  provider_id: string | null;
}

export interface CostCreateReply {
  /** Pairs of price id and model, in the order of the request. */
  ids: Array<[string, string]>;
}

export interface CostCreateRequest {
  /** `<entity>/<project>`. */
  project_id: string;
  /** Prices by model, spelled as in the usage of calls. */
  costs: Record<string, CostEntry>;
  /** Set by the server; clients must not set it. */
  svc_user_id?: string | null;
}

export interface CostEntry {
  /** Price of one prompt token. */
  prompt_token_cost: number;
  /** Price of one completion token. */
  completion_token_cost: number;
  /** Price of one prompt token that came from the provider's cache. */
  cache_read_input_token_cost?: number;
  /** Price of one prompt token that went into the provider's cache. */
  cache_creation_input_token_cost?: number;
  /** Unit of the prompt token cost. */
  prompt_token_cost_unit?: string | null;
  /** Unit of the completion token cost. */
  completion_token_cost_unit?: string | null;
  /** Date from which the price is effective. Default: now. */
  effective_date?: string | null;
  /** Provider of the model. Default: `default`. */
  provider_id?: string | null;
}

export interface CostPurgeRequest {
  /** `<entity>/<project>`. */
  project_id: string;
  /** `$eq` or `$in` of `id` and literals, or `$or` of such `$eq`. */
  query: Query;
}

export interface CostQueryReply {
  results: Cost[];
}

export interface CostQueryRequest {
  /** `<entity>/<project>`. */
  project_id: string;
  /** Fields to return; the others are null. Default: all fields. */
  fields?: string[] | null;
  /** Filter on the prices. */
  query?: Query | null;
  /** Sort keys. Default: insertion order. */
  sort_by?: SortBy[] | null;
  /** Maximum number of prices to return. */
  limit?: number | null;
  /** Number of prices to skip. */
  offset?: number | null;
}

export interface CustomAttribute {
  /** The map that contains the attribute. */
  source: string;
  key: string;
  value_type: "string" | "int" | "float" | "bool";
  span_count: number;
}

export interface CustomAttributes {
  /** Most frequent first. */
  attributes: CustomAttribute[];
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface CustomAttributesQuery {
  /** entity/project */
  project_id: string;
  /** Filter of the spans. */
  query?: Query | null;
  /** Inclusive. */
  started_after?: string | null;
  /** Exclusive. */
  started_before?: string | null;
  limit?: number;
  offset?: number;
}

export interface DatasetCreate {
  name?: string | null;
  description?: string | null;
  rows: Array<Record<string, unknown>>;
}

export interface DatasetCreated {
  /** Digest of the content. */
  digest: string;
  object_id: string;
  version_index: number;
}

export interface DatasetView {
  object_id: string;
  digest: string;
  version_index: number;
  created_at: string;
  name: string;
  description: string | null;
  /** Reference to the table of rows. */
  rows: string;
}

export interface DeletedCount {
  num_deleted: number;
}

export interface DeletedObjectVersion {
  digest: string;
  base_object_class: string | null;
  leaf_object_class: string | null;
}

export interface Delivery {
  /** Also the `Webhook-Id` of every attempt. */
  id: string;
  automation_id: string;
  /** Name when the delivery was created. */
  automation_name: string;
  event_id: string;
  event_type: string;
  /** Null if the delivery sends nothing. */
  webhook_id: string | null;
  /** Endpoint URL; only the host for users who do not manage the webhook. */
  url: string | null;
  /** `pending`, `in_flight`, `retrying`, `succeeded`, `failed`, `cancelled` or `skipped`. */
  status: string;
  /** `PENDING`, `FINISHED` or `FAILED`. */
  execution_status: string;
  attempt_count: number;
  next_attempt_at: string | null;
  created_at: string;
  finished_at: string | null;
  last_error: DeliveryError | null;
  /** Id of the delivery that this one replays with mode `current`. */
  replay_of: string | null;
  /** The last request; only for a single delivery. */
  request?: DeliveryRequest | null;
  /** Only for a single delivery. */
  attempts?: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  /** Assigned by the server. */
  id: string;
  /** Attempt number, starting at 1. */
  number: number;
  started_at: string;
  duration_ms: number;
  /** IP address of the endpoint. */
  remote_ip: string | null;
  response_status: number | null;
  /** The first 8 KiB, for 7 days. */
  response_headers: Record<string, unknown> | null;
  /** The first 16 KiB, for 7 days. */
  response_body: string | null;
  /** The stored body is incomplete. */
  truncated: boolean;
  /** Why there is no response. */
  error: DeliveryError | null;
}

export interface DeliveryCounts {
  pending: number;
  in_flight: number;
  retrying: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  skipped: number;
}

export interface DeliveryError {
  /** A code for programs. */
  code: string;
  message: string;
}

export interface DeliveryPage {
  items: Delivery[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface DeliveryReplay {
  mode?: "same" | "current";
}

export interface DeliveryRequest {
  /** Credentials show as `***`. */
  headers: Record<string, unknown>;
  /** Credentials show as `***`; kept for 7 days. */
  body: string;
  /** SHA-256 of the sent body, in hexadecimal. */
  body_sha256: string;
}

export interface DeliveryStatistics {
  since: string;
  /** All webhooks of the team, sorted by name. */
  items: WebhookStatistics[];
}

export interface DetailError {
  detail: string;
}

export interface EmbeddingRequest {
  /** A model of `/v1/models`. */
  model: string;
  /** A text, a list of texts, or tokens. */
  input: unknown;
}

export type Empty = Record<string, unknown>;

export interface Engine {
  /** Name of the model that the engine runs. */
  model: string;
  state: "stopped" | "inspecting" | "fetching" | "waiting" | "starting" | "ready" | "draining" | "stopping" | "backing_off" | "failed";
  /** Loaded share of the model, from 0 to 1. */
  progress: number;
  /** Null when there is no process. */
  pid: number | null;
  /** Memory of the engine: estimated from the file until the engine reports it. */
  memory_bytes: number;
  /** Time of the last state change. */
  since: string;
  /** Number of restarts after crashes. */
  restarts: number;
  /** Reason of the last crash or failed start. */
  last_error: string | null;
  /** Loaded adapters. */
  adapters: string[];
  /** Number of requests that use the engine. */
  leases: number;
  /** Number of requests that wait for the engine. */
  waiting: number;
}

export interface EnginePage {
  items: Engine[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface EqOperation {
  /** The operands are equal. */
  $eq: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation, LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation];
}

export interface EvalResults {
  rows: EvalResultsRow[];
  /** Before paging. */
  total_rows: number;
  /** Null unless include_summary is true. */
  summary: EvalResultsSummary | null;
  warnings: string[];
  /** Present if the request has `compare`. */
  comparison?: EvalResultsComparison | null;
}

export interface EvalResultsCompare {
  /** Baseline of the comparison. Default: the first evaluation. */
  baseline_evaluation_call_id?: string | null;
  /** `scorer` or `scorer.path`. Default: all numbers and booleans. */
  metrics?: string[] | null;
  /** Confidence level of the interval. */
  confidence?: number;
  resamples?: number;
  /** The same seed gives the same interval. */
  seed?: number;
}

export interface EvalResultsComparison {
  baseline_evaluation_call_id: string;
  confidence: number;
  resamples: number;
  seed: number;
  /** All evaluations except the baseline. */
  evaluations: EvalResultsRunComparison[];
}

export interface EvalResultsEvaluationSummary {
  evaluation_call_id: string;
  trial_count: number;
  scorer_stats: EvalResultsScorerStats[];
  predict_total_tokens: number | null;
  predict_total_cost: number | null;
  evaluation_ref: string | null;
  model_ref: string | null;
  display_name: string | null;
  trace_id: string | null;
  started_at: string | null;
}

export interface EvalResultsFilter {
  /** Over row_digest, scores.*, inputs.* and output.*. */
  query: Query;
  /** Default: one matching evaluation is enough. */
  evaluation_call_id?: string | null;
}

export interface EvalResultsInterval {
  low: number;
  high: number;
}

export interface EvalResultsMetricComparison {
  scorer_key: string;
  path: string | null;
  /** Rows with a value in both evaluations. */
  paired_rows: number;
  baseline_mean: number | null;
  mean: number | null;
  mean_difference: number | null;
  /** Confidence interval of the mean difference. */
  interval: EvalResultsInterval | null;
  /** Rows with a higher value than the baseline. */
  wins: number;
  ties: number;
  losses: number;
  /** Rows with a lower value, lowest difference first; paged by limit and offset. */
  worse_rows: EvalResultsWorseRow[];
}

export interface EvalResultsQuery {
  evaluation_call_ids?: string[] | null;
  /** Synonym of evaluation_call_ids. */
  evaluation_run_ids?: string[] | null;
  /** Only rows that all evaluations have. */
  require_intersection?: boolean;
  include_raw_data_rows?: boolean;
  /** Return rows of datasets instead of references to them. */
  resolve_row_refs?: boolean;
  include_rows?: boolean;
  include_summary?: boolean;
  /** Default: the value of require_intersection. */
  summary_require_intersection?: boolean | null;
  /** If false: no ids, latencies and tokens of child calls. */
  include_predict_and_score_children?: boolean;
  include_costs?: boolean;
  /** Sort keys; equal rows are sorted by row_digest. */
  sort_by?: EvalResultsSort[] | null;
  filters?: EvalResultsFilter[] | null;
  /** How filters of one evaluation combine. */
  filter_logic_operator?: "and" | "or";
  limit?: number | null;
  offset?: number;
  /** Compare 2 to 10 evaluations row by row. */
  compare?: EvalResultsCompare | null;
}

export interface EvalResultsRow {
  row_digest: string;
  raw_data_row: unknown;
  /** In the order of the request. */
  evaluations: EvalResultsRowEvaluation[];
}

export interface EvalResultsRowEvaluation {
  evaluation_call_id: string;
  trials: EvalResultsTrial[];
}

export interface EvalResultsRunComparison {
  evaluation_call_id: string;
  metrics: EvalResultsMetricComparison[];
}

export interface EvalResultsScorerStats {
  scorer_key: string;
  /** Dotted; null when the score itself is the value. */
  path: string | null;
  /** `binary`, `continuous` or `text`. */
  value_type: string | null;
  trial_count: number;
  numeric_count: number;
  numeric_mean: number | null;
  pass_true_count: number;
  pass_known_count: number;
  pass_rate: number | null;
  pass_signal_coverage: number | null;
}

export interface EvalResultsSort {
  /** scores.*, inputs.* or output.* */
  field: string;
  direction: "asc" | "desc";
  evaluation_call_id?: string | null;
  /** `difference`: greatest minus least value of the evaluations; scores only. */
  mode?: "value" | "difference";
}

export interface EvalResultsSummary {
  row_count: number;
  evaluations: EvalResultsEvaluationSummary[];
}

export interface EvalResultsTrial {
  predict_and_score_call_id: string;
  predict_call_id: string | null;
  model_output: unknown;
  /** By scorer. */
  scores: Record<string, unknown>;
  model_latency_seconds: number | null;
  total_tokens: number | null;
  total_cost: number | null;
  /** By scorer. */
  scorer_call_ids: Record<string, string>;
  genai_span_ref: unknown;
}

export interface EvalResultsWorseRow {
  row_digest: string;
  baseline_value: number;
  value: number;
  difference: number;
}

export interface EvaluateModel {
  /** entity/project */
  project_id: string;
  evaluation_ref: string;
  /** An object with `kind: chat_completion`. */
  model_ref: string;
}

export interface EvaluateModelReply {
  /** The id of the run. */
  call_id: string;
}

export interface EvaluationCancel {
  /** entity/project */
  project_id: string;
  /** The id of the run. */
  call_id: string;
}

export interface EvaluationCancelReply {
  /** False if the run had ended already. */
  cancelled: boolean;
}

export interface EvaluationComplete {
  code: "complete";
  output: Record<string, unknown>;
}

export interface EvaluationCreate {
  name: string;
  description?: string | null;
  /** A reference. */
  dataset: string;
  /** References. */
  scorers?: string[] | null;
  /** Number of trials per row. */
  trials?: number;
  evaluation_name?: string | null;
  /** Additional members of the object. */
  eval_attributes?: Record<string, unknown> | null;
}

export interface EvaluationCreated {
  /** Digest of the content. */
  digest: string;
  object_id: string;
  version_index: number;
  /** Reference to the version. */
  evaluation_ref: string;
}

export interface EvaluationFailed {
  code: "failed";
  /** Always null; the call of the run has the exception. */
  error: string | null;
}

export interface EvaluationNotFound {
  code: "not_found";
}

export interface EvaluationRescore {
  /** entity/project */
  project_id: string;
  /** A finished run of the server or of an SDK. */
  source_evaluation_run_id: string;
  /** Built-in scorers. */
  scorer_refs: string[];
}

export interface EvaluationRescoreReply {
  /** The id of the new run. */
  call_id: string;
  /** Same as call_id. */
  evaluation_run_id: string;
}

export interface EvaluationRun {
  evaluation_run_id: string;
  /** A reference. */
  evaluation: string;
  /** A reference. */
  model: string;
  /** `running`, `completed` or `failed`. */
  status?: string | null;
  started_at?: string | null;
  finished_at?: string | null;
  summary?: Record<string, unknown> | null;
  /** The run whose predictions were scored again; not in lists. */
  source_evaluation_run_id?: string | null;
}

export interface EvaluationRunCreate {
  /** A reference. */
  evaluation: string;
  /** A reference. */
  model: string;
  /** The run whose predictions are scored again. */
  source_evaluation_run_id?: string | null;
}

export interface EvaluationRunCreated {
  evaluation_run_id: string;
}

export interface EvaluationRunFinish {
  /** Stored with the run. */
  summary?: Record<string, unknown> | null;
}

export interface EvaluationRunning {
  code: "running";
  /** Calls directly below the run that have ended. */
  completed_rows: number;
  /** Rows of the dataset, if the caller can read it. */
  total_rows: number;
}

export interface EvaluationStatus {
  status: EvaluationNotFound | EvaluationRunning | EvaluationFailed | EvaluationComplete;
}

export interface EvaluationStatusRequest {
  /** entity/project */
  project_id: string;
  /** The id of the run. */
  call_id: string;
}

export interface EvaluationView {
  object_id: string;
  digest: string;
  version_index: number;
  created_at: string;
  name: string;
  description: string | null;
  dataset: string;
  scorers: string[];
  trials: number;
  evaluation_name: string | null;
  evaluate_op: string | null;
  predict_and_score_op: string | null;
  summarize_op: string | null;
}

export interface Event {
  id: string;
  /** For example `LINK_ARTIFACT`. */
  type: string;
  time: string;
  /** Username; null: the server itself. */
  author: string | null;
  /** The resources that the event is about. */
  subject: EventSubject;
  /** The values of payload variables. */
  data: Record<string, unknown>;
  /** Ids of its deliveries; only for a single event. */
  delivery_ids?: string[];
}

export interface EventPage {
  items: Event[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface EventSample {
  /** Values of payload variables by name: text or numbers. */
  variables?: Record<string, unknown>;
  /** Metadata of the artifact version. */
  artifact_metadata?: Record<string, unknown> | null;
}

export interface EventSubject {
  team_id: string | null;
  project_id: string | null;
  registry_id: string | null;
  collection_id: string | null;
  /** For example `art_7`. */
  artifact_id: string | null;
  /** Id of the run in the project. */
  run_id: string | null;
}

export interface EventType {
  type: string;
  /** Scope types of the automations that can use it. */
  scopes: string[];
  filters: EventTypeFilter[];
}

export interface EventTypeFilter {
  /** Member of `event`. */
  name: string;
  required: boolean;
}

export interface EventTypeList {
  items: EventType[];
}

export interface FailedAttempt {
  at: string;
  /** `dlv_…` */
  delivery_id: string;
  /** Null without a response. */
  response_status: number | null;
  /** Null with a response. */
  error: DeliveryError | null;
}

export interface FeedbackAggregate {
  /** entity/project */
  project_id: string;
  /** Start of the time range (inclusive), in milliseconds since 1970. */
  after_ms: number;
  /** End of the time range (exclusive), in milliseconds since 1970. */
  before_ms: number;
  /** Length of the buckets. Default: one bucket for the whole time range. */
  time_bucket_seconds?: number | null;
  /** Prefixes of feedback types. */
  feedback_types?: string[];
  /** Feedback with any of these tags. */
  tags?: string[];
  /** Minimum of the rating `_rating_`. */
  rating_min?: number | null;
  /** Maximum of the rating `_rating_`. */
  rating_max?: number | null;
  /** Names or refs of monitors. A trailing `*` matches any suffix. */
  monitor_ids?: string[];
  /** Names or refs of scorers. A trailing `*` matches any suffix. */
  scorer_ids?: string[];
  span_agent_names?: string[];
  span_types?: Array<"agent_turn" | "agent_conversation">;
  group_by?: Array<"scorer_id" | "span_agent_name" | "span_agent_version" | "span_status_code">;
}

export interface FeedbackAggregateBucket {
  time_bucket_start_ms: number | null;
  group: Record<string, string>;
  total_count: number;
  /** Feedback with a tag or a rating. */
  scored_count: number;
  tag_counts: Record<string, number>;
  rating_counts: Record<string, number>;
  rating_sums: Record<string, number>;
}

export interface FeedbackAggregates {
  time_bucket_seconds: number | null;
  after_ms: number;
  before_ms: number;
  /** Buckets that contain feedback. */
  buckets: FeedbackAggregateBucket[];
}

export interface FeedbackCreate {
  /** entity/project */
  project_id: string;
  /** The target: a call, an object, … */
  svc_ref: string;
  /** Any string; some `svc.` types have their own rules. */
  feedback_type: string;
  /** The feedback itself. */
  payload: Record<string, unknown>;
  /** A UUID. Default: generated. */
  id?: string | null;
  /** Display name of the author. */
  creator?: string | null;
  /** The specification of the annotation. */
  annotation_ref?: string | null;
  /** The object or op that produced it. */
  runnable_ref?: string | null;
  /** The call that produced it. */
  call_ref?: string | null;
  /** The object that triggered it, such as a monitor. */
  trigger_ref?: string | null;
  /** The annotation queue. */
  queue_id?: string | null;
  scorer_tags?: string[];
  /** By tag. */
  scorer_tag_reasons?: Record<string, string>;
  /** By tag. */
  scorer_tag_confidences?: Record<string, number>;
  /** By name of the rating. */
  scorer_ratings?: Record<string, number>;
  scorer_rating_reasons?: Record<string, string>;
  scorer_rating_confidences?: Record<string, number>;
  span_agent_name?: string;
  span_agent_version?: string;
  span_status_code?: string;
  span_conversation_id?: string;
  span_trace_id?: string;
  scorer_trace_id?: string;
  /** Set by the server. */
  svc_user_id?: string | null;
}

export interface FeedbackCreateBatch {
  /** All or nothing. */
  batch: FeedbackCreate[];
}

export interface FeedbackCreated {
  id: string;
  created_at: string;
  /** The author. */
  svc_user_id: string;
  /** The stored payload, including members added by the server. */
  payload: Record<string, unknown>;
}

export interface FeedbackCreatedBatch {
  /** In the order of the request. */
  res: FeedbackCreated[];
}

export interface FeedbackMetric {
  /** Path inside the payload. */
  json_path: string;
  value_type?: "numeric" | "boolean" | "categorical";
  /** Default: the standard aggregations of the value type. */
  aggregations?: Array<"sum" | "avg" | "min" | "max" | "count" | "count_true" | "count_false">;
  percentiles?: number[];
}

export interface FeedbackPage {
  result: Array<Record<string, unknown>>;
  /** Number of matches before paging. */
  total_count: number;
}

export interface FeedbackPayloadPath {
  json_path: string;
  value_type: "numeric" | "boolean" | "categorical";
}

export interface FeedbackPayloadPaths {
  /** Sorted. */
  paths: FeedbackPayloadPath[];
}

export interface FeedbackPayloadSchema {
  /** entity/project */
  project_id: string;
  /** Start of the time range (inclusive). */
  start: string;
  /** End of the time range (exclusive). Default: now. */
  end?: string | null;
  feedback_type?: string | null;
  trigger_ref?: string | null;
  /** Maximum number of payloads to inspect, newest first. */
  sample_limit?: number;
}

export interface FeedbackPurge {
  /** entity/project */
  project_id: string;
  /** `$eq` of `id` and a literal, or `$or` of such `$eq`. */
  query: Query;
}

export interface FeedbackQuery {
  /** entity/project */
  project_id: string;
  /** Columns, and paths such as `payload.score`. Default: all columns. */
  fields?: string[] | null;
  /** Filter on the feedback. */
  query?: Query | null;
  /** Sort keys. Default: creation order. */
  sort_by?: SortBy[] | null;
  /** Maximum number of results. */
  limit?: number | null;
  /** Number of results to skip. */
  offset?: number | null;
}

export interface FeedbackReplace {
  /** entity/project */
  project_id: string;
  /** The target: a call, an object, … */
  svc_ref: string;
  /** Any string; some `svc.` types have their own rules. */
  feedback_type: string;
  /** The feedback itself. */
  payload: Record<string, unknown>;
  /** A UUID. Default: generated. */
  id?: string | null;
  /** Display name of the author. */
  creator?: string | null;
  /** The specification of the annotation. */
  annotation_ref?: string | null;
  /** The object or op that produced it. */
  runnable_ref?: string | null;
  /** The call that produced it. */
  call_ref?: string | null;
  /** The object that triggered it, such as a monitor. */
  trigger_ref?: string | null;
  /** The annotation queue. */
  queue_id?: string | null;
  scorer_tags?: string[];
  /** By tag. */
  scorer_tag_reasons?: Record<string, string>;
  /** By tag. */
  scorer_tag_confidences?: Record<string, number>;
  /** By name of the rating. */
  scorer_ratings?: Record<string, number>;
  scorer_rating_reasons?: Record<string, string>;
  scorer_rating_confidences?: Record<string, number>;
  span_agent_name?: string;
  span_agent_version?: string;
  span_status_code?: string;
  span_conversation_id?: string;
  span_trace_id?: string;
  scorer_trace_id?: string;
  /** Set by the server. */
  svc_user_id?: string | null;
  /** Id of the feedback to replace. */
  feedback_id: string;
}

export interface FeedbackStatistics {
  start: string;
  end: string;
  /** Seconds. */
  granularity: number;
  timezone: string;
  /** `timestamp`, `count`, and `<aggregation>_<path>` for each metric. */
  buckets: Array<Record<string, unknown>>;
  /** Values of each path over the whole time range. */
  window_stats: Record<string, unknown> | null;
}

export interface FeedbackStats {
  /** entity/project */
  project_id: string;
  /** Start of the time range (inclusive). */
  start: string;
  /** End of the time range (exclusive). Default: now. */
  end?: string | null;
  feedback_type?: string | null;
  trigger_ref?: string | null;
  /** Length of a bucket in seconds. Default: depends on the time range. */
  granularity?: number | null;
  /** Time zone that aligns the buckets. */
  timezone?: string;
  metrics?: FeedbackMetric[];
}

export interface FileContentRequest {
  /** `entity/project`. */
  project_id: string;
  /** Digest of the content. */
  digest: string;
}

export interface FileCreateReply {
  /** Digest of the content. */
  digest: string;
}

export interface FileStatsReply {
  total_size_bytes: number;
}

export interface FileStatsRequest {
  /** `entity/project`. */
  project_id: string;
}

export interface FirstToken {
  p50: number;
  p95: number;
}

export interface FoundCall {
  id: string;
  trace_id: string;
  name: string;
  started_at: string;
  /** One for each field. */
  matches: CallMatch[];
}

export interface GenAiSpanRef {
  trace_id: string;
  span_id: string;
}

export interface GetFieldOperator {
  /** The dotted path of a field. */
  $getField: string;
}

export interface GraphqlRequest {
  /** The document. */
  query: string;
  /** Name of the operation; read from the document when left out. */
  operationName?: string | null;
  variables?: GraphqlVariables | null;
}

export interface GraphqlVariables {
  /** Name of a project. */
  name?: string | null;
  entityName?: string | null;
  entity?: string | null;
}

export interface GtOperation {
  /** The first operand is greater than the second. */
  $gt: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation, LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation];
}

export interface GteOperation {
  /** The first operand is greater than or equal to the second. */
  $gte: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation, LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation];
}

export interface HTTPValidationError {
  detail: ValidationError[];
}

export interface Health {
  /** Always `ok`. */
  status: string;
}

export interface InOperation {
  /** The first operand equals one item of the list. */
  $in: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation, Array<LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation>];
}

export interface InferenceUsage {
  from: string;
  /** End of the range, exclusive. */
  to: string;
  group_by: string[];
  /** Sorted by their keys. */
  items: UsageRow[];
  /** There are more groups than `limit`; narrow the query. */
  has_more: boolean;
}

export interface Invitation {
  id: string;
  team: string;
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** A note for whom it is. */
  email: string | null;
  /** User name. */
  created_by: string | null;
  /** How many people may accept it. */
  uses: number;
  /** How many people accepted it. */
  used: number;
  created_at: string;
  expires_at: string;
}

export interface InvitationAcceptance {
  /** From the link. */
  token: string;
  /** Of the new user; absent for a user who is signed in. */
  username?: string | null;
  /** Full name. */
  name?: string | null;
  /** Of the new user. */
  password?: string | null;
}

export interface InvitationOffer {
  team: string;
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** User name. */
  inviter: string | null;
  expires_at: string;
}

export interface InvitationPage {
  items: Invitation[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface InvitationToken {
  /** From the link. */
  token: string;
}

export interface IssuedApiKey {
  /** Id for revoking the key. */
  id: string;
  /** First part of the key. */
  key_id: string;
  name: string;
  /** User name. */
  owner: string;
  /** The key itself. It is never shown again. */
  key: string;
  created_at: string;
  /** Null: never. */
  expires_at: string | null;
}

export interface IssuedInvitation {
  id: string;
  team: string;
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** A note for whom it is. */
  email: string | null;
  /** User name. */
  created_by: string | null;
  /** How many people may accept it. */
  uses: number;
  /** How many people accepted it. */
  used: number;
  created_at: string;
  expires_at: string;
  /** For the people to invite. It is never shown again. */
  link: string;
}

export interface LastTrainingJob {
  id: string;
  kind: "rl" | "sft";
  status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** 0 to 1. */
  progress: number | null;
  created_at: string;
}

export interface Latency {
  mean: number;
  p50: number;
  p95: number;
  p99: number;
}

export interface Lease {
  /** Send it in the header `Lease-Token`. */
  token: string;
  /** Duration of the lease. */
  seconds: number;
}

export interface LeasedAdapter {
  step: number;
  files: LeasedFile[];
}

export interface LeasedBaseModel {
  name: string;
  /** Path of the GGUF file on the server's host. Null if the file is in the file store of the server, or if there is only a folder. */
  file: string | null;
  /** Bytes of the file; 0: there is none. */
  size: number;
  /** Changes with the file. */
  revision: number;
  /** Hugging Face folder, for trainers that read it; null if the model has none. */
  folder: LeasedFolder | null;
}

export interface LeasedData {
  /** Bytes. */
  size: number;
  /** Lines. */
  count: number | null;
}

export interface LeasedFile {
  name: string;
  /** Bytes. */
  size: number;
  /** Base64. */
  md5: string;
}

export interface LeasedFolder {
  /** Path on the server's host. */
  path: string;
  /** Changes with the files. */
  revision: string;
  files: LeasedFolderFile[];
}

export interface LeasedFolderFile {
  name: string;
  /** Bytes. */
  size: number;
}

export interface LeasedJob {
  id: string;
  kind: "rl" | "sft";
  model_id: string;
  /** Step of the result. */
  step: number;
  created_at: string;
}

export interface LeasedModel {
  entity: string;
  project: string;
  name: string;
}

export interface LeasedRewardSpread {
  step: number;
  std_dev: number;
}

export interface LeasedState {
  /** The last event that the state includes. */
  sequence: number;
  /** Bytes. */
  size: number;
}

export interface Limit {
  /** Assigned by the server. */
  id: string;
  /** `team/project`; null for the limit of a key. */
  project: string | null;
  /** `key_id`; null for the limit of a project. */
  key: string | null;
  /** Name of the key. */
  key_name: string | null;
  /** User name of the key's owner. */
  owner: string | null;
  /** Maximum number of concurrent requests. */
  concurrency: number | null;
  /** Maximum number of requests per minute. */
  requests_per_minute: number | null;
  /** Maximum number of tokens per minute, prompts and completions together. */
  tokens_per_minute: number | null;
  /** Maximum cost per period, in US dollars. */
  budget_usd: number | null;
  /** Period of the budget: `day` starts at midnight UTC, `month` on the first of the month; `total` never restarts. */
  period: "day" | "month" | "total";
  /** Cost in the current period; null without a budget. */
  spent_usd: number | null;
  /** Start of the current period; null without a budget and for `total`. */
  since: string | null;
  created_at: string;
  updated_at: string;
}

export interface LimitChange {
  /** Maximum number of concurrent requests. */
  concurrency?: number | null;
  /** Maximum number of requests per minute. */
  requests_per_minute?: number | null;
  /** Maximum number of tokens per minute, prompts and completions together. */
  tokens_per_minute?: number | null;
  /** Maximum cost per period, in US dollars. */
  budget_usd?: number | null;
  /** Period of the budget: `day` starts at midnight UTC, `month` on the first of the month; `total` never restarts. */
  period?: "day" | "month" | "total";
}

export interface LimitPage {
  items: Limit[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ListCursor {
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ListSort {
  /** What to sort by. */
  field: string;
  direction: "asc" | "desc";
}

export interface ListedCall {
  id: string;
  /** entity/project */
  project_id?: string;
  /** A name, or a reference. */
  op_name?: string;
  display_name?: string | null;
  trace_id?: string;
  /** Null: a root. */
  parent_id?: string | null;
  thread_id?: string | null;
  turn_id?: string | null;
  started_at?: string;
  /** With preview_bytes, a larger value is {"preview": <its first bytes as a text>, "bytes": <its size>}. */
  attributes?: Record<string, unknown>;
  /** With preview_bytes, a larger value is {"preview": <its first bytes as a text>, "bytes": <its size>}. */
  inputs?: unknown;
  /** Null: running. */
  ended_at?: string | null;
  /** With preview_bytes, a larger value is {"preview": <its first bytes as a text>, "bytes": <its size>}. */
  exception?: unknown;
  /** With preview_bytes, a larger value is {"preview": <its first bytes as a text>, "bytes": <its size>}. */
  output?: unknown;
  /** As of a call. A preview also has `usage` and `svc`. */
  summary?: Record<string, unknown>;
  svc_user_id?: string | null;
  /** With include_usernames. */
  svc_username?: string | null;
  svc_run_id?: string | null;
  svc_run_step?: number | null;
  svc_run_step_end?: number | null;
  /** Always null. */
  deleted_at?: string | null;
  expire_at?: string | null;
  storage_size_bytes?: number | null;
  total_storage_size_bytes?: number | null;
}

export interface ListedSession {
  /** Id for ending the session. */
  id: string;
  created_at: string;
  /** Accurate to about ten minutes. */
  last_used_at: string;
  /** At the latest. */
  expires_at: string;
  /** The browser, as it names itself. */
  client: string;
  /** The address of the sign-in. */
  address: string;
  /** The session of the caller. */
  current: boolean;
}

export interface LiteralOperation {
  /** A value. */
  $literal: string | number | boolean | Record<string, LiteralOperation> | LiteralOperation[] | null;
}

export interface LtOperation {
  /** The first operand is less than the second. */
  $lt: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation, LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation];
}

export interface LteOperation {
  /** The first operand is less than or equal to the second. */
  $lte: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation, LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation];
}

export interface Me {
  /** Assigned by the server. */
  id: string;
  /** Unique in the deployment. */
  username: string;
  /** Null for service accounts. */
  email: string | null;
  /** Full name. */
  name: string | null;
  /** A person or a service account. */
  kind: "user" | "service";
  /** Administers the whole deployment. */
  organization_admin: boolean;
  /** Keys and sessions of a suspended user are refused. */
  suspended: boolean;
  created_at: string;
  /** Oldest first. */
  memberships: MembershipOfUser[];
  /** For requests that name no team: the team of the oldest membership that the caller accepted or an organization admin made, else the only team. */
  default_team: string | null;
}

export interface Member {
  user: MemberUser;
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** Invited, but not yet accepted. */
  pending: boolean;
}

export interface MemberPage {
  items: Member[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface MemberRole {
  role: "ADMIN" | "MEMBER" | "VIEWER";
}

export interface MemberUser {
  id: string;
  /** Unique in the deployment. */
  username: string;
  /** Full name. */
  name: string | null;
  /** A person or a service account. */
  kind: "user" | "service";
  created_at: string;
  /** Null unless the caller is an organization admin. */
  email: string | null;
  /** Null unless the caller is an organization admin. */
  organization_admin: boolean | null;
  /** Null unless the caller is an organization admin. */
  suspended: boolean | null;
}

export interface MembershipOfUser {
  team: string;
  role: "ADMIN" | "MEMBER" | "VIEWER";
  pending: boolean;
}

export interface MetricCondition {
  /** Key of the metric, for example `val.loss`. */
  name: string;
  /** `AVERAGE`, `MIN` or `MAX`. */
  aggregation?: string | null;
  /** Number of values; for trace metrics, minutes. */
  window?: number | null;
  /** `gt`, `gte`, `lt`, `lte`, `eq` or `ne`. */
  comparison?: string | null;
  threshold?: number | null;
  /** Number of latest values, for a change. */
  current_window?: number | null;
  /** Number of values before the latest ones, for a change. */
  prior_window?: number | null;
  /** `ABSOLUTE` or `RELATIVE`. */
  change_type?: string | null;
  /** `INCREASE`, `DECREASE` or `ANY`. */
  direction?: string | null;
  /** Minimum change; with `RELATIVE`, 0.25 means 25 %. */
  amount?: number | null;
}

export interface ModelChange {
  /** Absolute path of a GGUF file on the server's machine. */
  file?: string | null;
  /** Absolute path of a Hugging Face folder on the server's machine: the base model for trainers that need one. The folder is not served. */
  folder?: string | null;
  /** Context length in tokens per request to the engine; 0: the value in the file, up to a limit. */
  context?: number;
  /** Load the model when the server starts, not at the first request. */
  start_at_boot?: boolean;
  /** Owner in the model list. */
  owned_by?: string;
  /** Supported kinds of requests. */
  abilities?: Array<"chat" | "completions" | "embeddings">;
  /** Model targets. A model with a file always includes its engine. */
  targets?: ModelTarget[];
  /** Names of models that are tried in order when this model fails. */
  fallbacks?: string[];
  /** Names of the teams that may use it; null: all teams. */
  teams?: string[] | null;
  /** Maximum number of tokens of one completion; 0: unknown. */
  max_output_tokens?: number;
}

export interface ModelCreate {
  name: string;
  description?: string | null;
  source_code: string;
  /** Additional members of the object. */
  attributes?: Record<string, unknown> | null;
}

export interface ModelCreated {
  /** Digest of the content. */
  digest: string;
  object_id: string;
  version_index: number;
  /** Reference to the version. */
  model_ref: string;
}

export interface ModelDeleted {
  model_id: string;
  deleted_checkpoints: number;
  deleted_run: boolean;
}

export interface ModelTarget {
  /** Name of an upstream; null: the local engine, with the file. */
  upstream?: string | null;
  /** Name of the model at the upstream; empty: the same name. */
  model?: string;
  /** The lowest tier is tried first, the next one when all its targets fail. */
  tier?: number;
}

export interface ModelView {
  object_id: string;
  digest: string;
  version_index: number;
  created_at: string;
  name: string;
  description: string | null;
  source_code: string;
  attributes: Record<string, unknown> | null;
}

export interface NewApiKey {
  /** Unique for its owner. */
  name: string;
  /** Time of expiry; null: never. */
  expires_at?: string | null;
}

export interface NewArtifactCollection {
  /** Unique in the project. */
  name: string;
  /** Type of its versions, such as `model`. */
  type: string;
  description?: string;
  tags?: string[];
}

export interface NewArtifactEntry {
  /** Base64 of the MD5 of the bytes; for a reference, its ETag or URI. */
  digest: string;
  /** Bytes. */
  size: number;
  /** URI of a file that is not uploaded. */
  ref?: string | null;
  /** Stored unchanged. */
  extra?: Record<string, unknown> | null;
}

export interface NewArtifactLink {
  /** `entity/project/name:version`, a `svc-artifact` URI, or `art_…`. */
  source: string;
  /** Aliases of the link, in addition to `latest`. */
  aliases?: string[];
}

export interface NewArtifactVersion {
  /** Type of the collection. */
  type: string;
  /** Expected digest of the manifest; the server checks it. */
  digest?: string | null;
  /** Entries by path. */
  manifest: Record<string, NewArtifactEntry>;
  /** At most 100 members. */
  metadata?: Record<string, unknown>;
  description?: string | null;
  /** Aliases to set at the commit, in addition to `latest`. */
  aliases?: string[];
  tags?: string[];
  /** Time to live in seconds; -1: the default of the team; -2: unlimited. */
  ttl_seconds?: number;
  /** Run that creates the version. */
  run_id?: string | null;
}

export interface NewAutomation {
  /** Unique in the team that owns the scope. */
  name: string;
  description?: string | null;
  /** Only enabled automations run. */
  enabled?: boolean;
  /** The scope that the automation watches. */
  scope: AutomationScope;
  /** The event that the automation matches. */
  event: AutomationEvent;
  /** The action that the automation runs. */
  action: NewAutomationAction;
}

export interface NewAutomationAction {
  /** `webhook` or `noop`. */
  type: string;
  /** Id of the webhook to call. */
  webhook_id?: string | null;
  /** Name of a payload preset, instead of `payload`. */
  preset?: string | null;
  /** The template, as text or as a JSON object; the default template if omitted. */
  payload?: string | Record<string, unknown> | null;
}

export interface NewBulkJob {
  action: "delete" | "score" | "add_to_queue" | "add_to_dataset";
  filter?: CallsFilter | null;
  /** As in `/calls/query`. `filter` and `query` may be combined. */
  query?: Query | null;
  /** Instead of filter and query. Unknown ids are ignored. */
  call_ids?: string[] | null;
  /** delete: none. score: scorer_refs. add_to_queue: queue_id, display_fields. add_to_dataset: dataset (its name) and columns (paths in the call by column name; default: inputs and output). */
  parameters?: Record<string, unknown>;
  /** Do nothing (409) unless the selection has exactly this many calls. */
  expected_count?: number | null;
}

export interface NewInvitation {
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** A note for whom it is. The server sends no mail and does not check it. */
  email?: string | null;
  /** Days until it expires. */
  expires_in_days?: number;
  /** How many people may accept it. */
  uses?: number;
}

export interface NewLimit {
  /** `team/project`; alternative to `key`. */
  project?: string | null;
  /** `key_id` of an API key. */
  key?: string | null;
  /** Maximum number of concurrent requests. */
  concurrency?: number | null;
  /** Maximum number of requests per minute. */
  requests_per_minute?: number | null;
  /** Maximum number of tokens per minute, prompts and completions together. */
  tokens_per_minute?: number | null;
  /** Maximum cost per period, in US dollars. */
  budget_usd?: number | null;
  /** Period of the budget: `day` starts at midnight UTC, `month` on the first of the month; `total` never restarts. */
  period?: "day" | "month" | "total";
}

export interface NewModel {
  /** The `model` of requests; cannot be changed. */
  name: string;
  /** Absolute path of a GGUF file on the server's machine. */
  file?: string | null;
  /** The file follows: `PUT /api/v1/model-files/{name}`. Until then, the model has no engine and needs no target. */
  upload?: boolean;
  /** Absolute path of a Hugging Face folder on the server's machine: the base model for trainers that need one. The folder is not served. */
  folder?: string | null;
  /** Context length in tokens per request to the engine; 0: the value in the file, up to a limit. */
  context?: number;
  /** Load the model when the server starts, not at the first request. */
  start_at_boot?: boolean;
  /** Owner in the model list. */
  owned_by?: string;
  /** Supported kinds of requests; default: chat and completions. */
  abilities?: Array<"chat" | "completions" | "embeddings">;
  /** Model targets. A model with a file always includes its engine. */
  targets?: ModelTarget[];
  /** Names of models that are tried in order when this model fails. */
  fallbacks?: string[];
  /** Names of the teams that may use it; null: all teams. */
  teams?: string[] | null;
  /** Maximum number of tokens of one completion; 0: unknown. */
  max_output_tokens?: number;
}

export interface NewObject {
  /** `entity/project`. */
  project_id: string;
  /** The name: letters, digits, `_`, `.` and `-`; at most 128. */
  object_id: string;
  /** Any JSON. */
  val: unknown;
  /** Validates the value against a built-in class. */
  builtin_object_class?: "AlertSpec" | "AnnotationSpec" | "ChartConfig" | "ComparisonView" | "LLMStructuredCompletionModel" | "Leaderboard" | "Provider" | "ProviderModel" | "SavedView" | "TestOnlyExample" | "TestOnlyInheritedBaseObject" | "TestOnlyNestedBaseObject" | null;
  /** An older name of builtin_object_class. */
  set_base_object_class?: "AlertSpec" | "AnnotationSpec" | "ChartConfig" | "ComparisonView" | "LLMStructuredCompletionModel" | "Leaderboard" | "Provider" | "ProviderModel" | "SavedView" | "TestOnlyExample" | "TestOnlyInheritedBaseObject" | "TestOnlyNestedBaseObject" | null;
  /** Store only if the content has this digest; 409 otherwise. */
  expected_digest?: string | null;
}

export interface NewPassword {
  new_password: string;
}

export interface NewProject {
  /** Name of the team. */
  team: string;
  /** Unique in the team. */
  name: string;
  visibility?: "OPEN" | "PUBLIC" | "TEAM" | "RESTRICTED";
  description?: string;
}

export interface NewRegistry {
  /** Unique in the organization. */
  name: string;
  visibility: "organization" | "restricted";
  description?: string;
  /** Accepted types. Default, and if empty: all types. */
  artifact_types?: string[];
}

export interface NewRun {
  /** Unique in the project. Default: a random id. */
  run_id?: string | null;
  /** Display name. Default: a random name. */
  name?: string | null;
  /** Configuration of the run, such as hyperparameters. */
  config?: Record<string, unknown> | null;
  /** Summary rules by metric key. Default: the last value. */
  metrics?: Record<string, RunMetric> | null;
  tags?: string[] | null;
  notes?: string | null;
  /** Group of related runs. */
  group?: string | null;
  /** `train`, `eval`, … */
  job_type?: string | null;
  /** A pending run starts with its first heartbeat. */
  state?: "running" | "pending";
  /** How to treat an existing run with this id. `must`: the run must exist. `allow` and `auto`: resume the run if it exists. `never`: the run must not exist. */
  resume?: "must" | "allow" | "never" | "auto" | null;
}

export interface NewSecret {
  /** Letters, digits and underscores; the variable name in payloads. */
  name: string;
  /** 1 byte to 64 KiB. */
  value: string;
}

export interface NewServiceAccount {
  /** What it is for; unique in the team. */
  description: string;
  /** `organization`: access to every team; for organization admins. */
  scope?: "team" | "organization";
}

export interface NewServiceAccountReply {
  account: ServiceAccount;
  /** Its key. It is never shown again. */
  api_key: string;
}

export interface NewTable {
  /** `entity/project`. */
  project_id: string;
  /** One object for each row. */
  rows: Array<Record<string, unknown>>;
  /** Store only if the content has this digest; 409 otherwise. */
  expected_digest?: string | null;
}

export interface NewTeam {
  /** Unique in the deployment; part of every path of the team. */
  name: string;
  /** User name of the first admin of the team; the caller when left out. */
  admin_username?: string | null;
}

export interface NewUpstream {
  /** Unique; cannot be changed. */
  name: string;
  /** Base URL of its OpenAI-compatible API, such as `https://api.example.com/v1`. */
  url: string;
  /** API key, sent as a Bearer token. It is never shown again. */
  key?: string | null;
  /** Timeout for the connection. */
  connect_timeout_ms?: number;
  /** Timeout until the response starts. */
  first_token_timeout_ms?: number;
  /** Timeout between two chunks of a stream. */
  idle_timeout_ms?: number;
  /** The upstream supports `stream_options.include_usage`, which makes the usage of streams known. */
  stream_usage?: boolean;
  /** Path of the health check, appended to `url`; empty: no health check. */
  health_path?: string;
  /** How trained adapters get into the upstream. `none`: it serves no adapters. `vllm`: by `/v1/load_lora_adapter`; vLLM needs `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`. */
  adapters?: "none" | "vllm";
  /** Path of the folder of adapters on the host of the upstream; null: the same path as on the server's machine (`inference.shared_adapters`). */
  adapter_path?: string | null;
  /** URL of the adapter receiver on the host of the upstream, which gets the files of adapters; null: both machines share the folder. */
  adapter_receiver?: string | null;
  /** Adapters that the server keeps loaded in the upstream. The least recently used one makes room for another. */
  max_adapters?: number;
  /** Timeout of the transfer of an adapter, and of its loading by the upstream. */
  adapter_load_timeout_ms?: number;
}

export interface NewUser {
  /** Unique in the deployment, without regard to case. */
  username: string;
  /** Unique in the deployment, without regard to case. */
  email: string;
  /** Full name. */
  name?: string | null;
}

export interface NewWebhook {
  /** Unique in the team. */
  name: string;
  /** Endpoint URL: an https URL. */
  url_endpoint: string;
  /** Name of the secret that is sent as a Bearer token. */
  access_token_ref?: string | null;
  /** Name of the signing secret, which payloads may use. */
  secret_ref?: string | null;
  /** Maximum number of concurrent requests. */
  max_concurrency?: number;
}

export interface NewWebhookTest {
  /** Unique in the team. */
  name: string;
  /** Endpoint URL: an https URL. */
  url_endpoint: string;
  /** Name of the secret that is sent as a Bearer token. */
  access_token_ref?: string | null;
  /** Name of the signing secret, which payloads may use. */
  secret_ref?: string | null;
  /** Maximum number of concurrent requests. */
  max_concurrency?: number;
  /** The template to send, as text or as a JSON object; `{}` if omitted. */
  payload?: string | Record<string, unknown> | null;
}

export interface NewestCheckpoint {
  id: string;
  step: number;
  /** Numbers by name. */
  metrics: Record<string, unknown>;
}

export interface Node {
  /** Stays the same when the process restarts on its data folder. */
  id: string;
  /** Where other nodes reach this node. */
  url: string;
  version: string;
  /** `ready`, `draining` while the node stops, or `lost` without heartbeats. */
  state: string;
  /** What the node does. */
  roles: string[];
  /** Background tasks of the deployment that belong to the node at the moment. */
  tasks: string[];
  started_at: string;
  /** Time of the latest heartbeat. */
  seen_at: string;
}

export interface NodePage {
  items: Node[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface NotOperation {
  /** The operand is false. */
  $not: [LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation];
}

export interface ObjectCreateReply {
  /** Digest of the content. */
  digest: string;
  object_id: string;
}

export interface ObjectCreateRequest {
  obj: NewObject;
}

export interface ObjectDeleteReply {
  num_deleted: number;
  deleted_versions: DeletedObjectVersion[];
}

export interface ObjectDeleteRequest {
  /** `entity/project`. */
  project_id: string;
  object_id: string;
  /** Digests, `latest`, `vN` or aliases, at most 100; null: every version. */
  digests?: string[] | null;
}

export interface ObjectFilter {
  /** Any of these. */
  base_object_classes?: string[] | null;
  /** None of these. */
  exclude_base_object_classes?: string[] | null;
  /** Any of these. */
  leaf_object_classes?: string[] | null;
  /** Any of these. */
  object_ids?: string[] | null;
  /** Ops only, or everything else only. */
  is_op?: boolean | null;
  latest_only?: boolean | null;
  /** Any of these. */
  tags?: string[] | null;
  /** Any of these; `latest` is one. */
  aliases?: string[] | null;
}

export interface ObjectQueryReply {
  objs: ObjectVersion[];
}

export interface ObjectQueryRequest {
  /** `entity/project`. */
  project_id: string;
  /** All conditions must match. */
  filter?: ObjectFilter | null;
  limit?: number | null;
  offset?: number | null;
  /** `object_id` and `created_at`; others are ignored. */
  sort_by?: ListSort[] | null;
  /** Omit the values. */
  metadata_only?: boolean | null;
  include_storage_size?: boolean | null;
  include_tags_and_aliases?: boolean | null;
}

export interface ObjectReadReply {
  obj: ObjectVersion;
}

export interface ObjectReadRequest {
  /** `entity/project`. */
  project_id: string;
  object_id: string;
  /** A digest, `latest`, `vN` or an alias. */
  digest: string;
  /** Omit the value. */
  metadata_only?: boolean | null;
  include_tags_and_aliases?: boolean | null;
}

export interface ObjectVersion {
  /** `entity/project`. */
  project_id: string;
  /** The name of the object. */
  object_id: string;
  /** When it was published. */
  created_at: string;
  deleted_at?: string | null;
  /** Digest of the content. */
  digest: string;
  /** Counted from 0, never reused. */
  version_index: number;
  /** 1 for the version published last. */
  is_latest: number;
  /** `object` or `op`. */
  kind: string;
  base_object_class: string | null;
  leaf_object_class?: string | null;
  /** The content; `{}` if only metadata was requested. */
  val: unknown;
  /** Who published it. */
  svc_user_id?: string | null;
  /** Present on request. */
  size_bytes?: number | null;
  /** Present on request. */
  tags?: string[] | null;
  /** Present on request. */
  aliases?: string[] | null;
}

export interface OpCreate {
  name?: string | null;
  source_code?: string | null;
}

export interface OpCreated {
  /** Digest of the content. */
  digest: string;
  object_id: string;
  version_index: number;
}

export interface OpView {
  object_id: string;
  digest: string;
  version_index: number;
  created_at: string;
  /** The source code. */
  code: string;
}

export interface OpenAiError {
  error: {
    message: string;
    type?: string;
    param?: string | null;
    code?: string | number | null;
  };
  detail?: ValidationError[];
}

export interface OrOperation {
  /** At least one operand is true. */
  $or: Array<LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation>;
}

export interface OwnPassword {
  /** Required if the caller has a password. */
  current_password?: string | null;
  new_password: string;
}

export interface PayloadPreset {
  name: string;
  description: string;
  /** The template. */
  payload: string;
}

export interface PayloadPresets {
  items: PayloadPreset[];
}

export interface Prediction {
  prediction_id: string;
  /** A reference. */
  model: string;
  inputs: Record<string, unknown>;
  output: unknown;
  evaluation_run_id: string | null;
  svc_user_id: string | null;
}

export interface PredictionCreate {
  /** A reference. */
  model: string;
  /** Inputs of the model. */
  inputs: Record<string, unknown>;
  /** Output of the model. */
  output: unknown;
  evaluation_run_id?: string | null;
  /** Spans of the agent that made the prediction. */
  genai_span_ref?: GenAiSpanRef[] | null;
}

export interface PredictionCreated {
  prediction_id: string;
}

export interface Preferences {
  /** Any JSON object. The server does not interpret it. */
  preferences: Record<string, unknown>;
}

export interface ProbeError {
  code: string;
  message: string;
}

export interface ProbeReport {
  /** The endpoint responded with a status from 200 to 299. */
  success: boolean;
  /** Null if no request was made. */
  request: ProbeRequest | null;
  /** Null if no response arrived. */
  response: ProbeResponse | null;
  /** Why there is no response. */
  error: ProbeError | null;
  duration_ms: number;
}

export interface ProbeRequest {
  url: string;
  /** Credentials show as `***`. */
  headers: Record<string, string>;
  /** Credentials show as `***`. */
  body: string;
}

export interface ProbeResponse {
  status: number;
  /** The first 8 KiB. */
  headers: Record<string, string>;
  /** The first 16 KiB. */
  body: string;
  /** The returned body is incomplete. */
  truncated: boolean;
}

export interface Project {
  /** Assigned by the server. */
  id: string;
  /** Name of its team. */
  team: string;
  /** Unique in the team. */
  name: string;
  /** Who sees the project. `OPEN`: all users with an API key read and log. `PUBLIC`: all users with an API key read. `TEAM`: the members of the team. `RESTRICTED`: the members of the team who were added. */
  visibility: "OPEN" | "PUBLIC" | "TEAM" | "RESTRICTED";
  description: string;
  created_at: string;
  updated_at: string;
}

export interface ProjectChange {
  visibility?: "OPEN" | "PUBLIC" | "TEAM" | "RESTRICTED";
  description?: string;
}

export interface ProjectInfo {
  /** As in the request. */
  external_project_id: string;
  /** Never changes while the project exists. */
  internal_project_id: string;
}

export interface ProjectMember {
  username: string;
  /** In the project. */
  role: "ADMIN" | "MEMBER" | "VIEWER";
  /** In the team. */
  team_role: "ADMIN" | "MEMBER" | "VIEWER";
  /** The project role replaces the team role, and stays when the team role changes. */
  overridden: boolean;
}

export interface ProjectMemberPage {
  items: ProjectMember[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ProjectPage {
  items: Project[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ProjectRole {
  role: "ADMIN" | "MEMBER" | "VIEWER";
}

export interface ProjectStats {
  /** 0 unless requested. */
  trace_storage_size_bytes: number;
  objects_storage_size_bytes: number;
  tables_storage_size_bytes: number;
  files_storage_size_bytes: number;
}

export interface ProjectStatsRequest {
  /** entity/project */
  project_id: string;
  include_trace_storage_size?: boolean | null;
  include_object_storage_size?: boolean | null;
  include_table_storage_size?: boolean | null;
  include_file_storage_size?: boolean | null;
}

export interface ProjectsInfoRequest {
  /** Projects as `<entity>/<project>`. */
  project_ids: string[];
}

export interface ProtectedAliases {
  items: string[];
}

export interface QuarantinedAdapter {
  /** Digest of the adapter's content and base model. */
  id: string;
  /** Artifact version (`entity/project/collection:vN`) through which it was used. */
  artifact: string;
  /** Name of the base model. */
  model: string;
  /** How the engine process ended. */
  reason: string;
  /** When it was quarantined. */
  created_at: string;
}

export interface QuarantinedAdapterPage {
  items: QuarantinedAdapter[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Query {
  /** The operation that must be true for a row to match. */
  $expr: AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation;
}

export interface QueueCheck {
  success: boolean;
  /** Seconds. */
  duration: number;
  error: string | null;
}

export interface Readiness {
  /** Always `ready`. */
  status: string;
}

export interface ReasonError {
  reason: string;
}

export interface RefsReadReply {
  /** In request order. */
  vals: unknown[];
}

export interface RefsReadRequest {
  refs: string[];
}

export interface Registry {
  /** Assigned by the server: `reg_…`. */
  id: string;
  /** Unique in the organization. */
  name: string;
  /** Visible to the whole organization, or only to its members. */
  visibility: "organization" | "restricted";
  description: string;
  /** Accepts artifacts of any type. */
  allow_all_artifact_types: boolean;
  /** Accepted types if it does not accept all. */
  artifact_types: string[];
  /** Username. */
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface RegistryChange {
  /** A new name; paths change with it. */
  name?: string;
  description?: string;
  /** Registry admins only. */
  visibility?: "organization" | "restricted";
  /** Additional types to accept. Types cannot be removed. A registry that accepted all types then accepts these and the types of its collections. */
  add_artifact_types?: string[];
}

export interface RegistryMember {
  kind: "users" | "teams";
  /** Username or name of the team. */
  name: string;
  role: "ADMIN" | "MEMBER" | "VIEWER" | "RESTRICTED_VIEWER";
  created_at: string;
}

export interface RegistryMemberPage {
  items: RegistryMember[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RegistryPage {
  items: Registry[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RegistryRole {
  /** Default: restricted viewer; admin for organization admins, member for service accounts. */
  role?: "ADMIN" | "MEMBER" | "VIEWER" | "RESTRICTED_VIEWER";
}

export interface RenderRequest {
  /** The values for the template. */
  event?: EventSample | null;
  /** Id of a stored event, instead of `event`. */
  event_id?: string | null;
}

export interface RenderedPayload {
  /** Credentials show as `***`. */
  body: string;
  warnings: TemplateWarning[];
}

export interface ResolvedArtifact {
  /** Assigned by the server: `art_…`. */
  id: string;
  /** Name of its collection. */
  collection: string;
  /** Type of all versions in the collection. */
  type: string;
  state: "PENDING" | "COMMITTED" | "PENDING_DELETION" | "DELETED" | "GARBAGE_COLLECTED";
  /** Version number, the 3 of `v3`; null until the commit. */
  version_index: number | null;
  /** Source of a link, `entity/project/name:v3`; null for other versions. */
  source: string | null;
  /** Digest of the manifest. */
  digest: string;
  /** Bytes of all files. */
  size: number;
  file_count: number;
  metadata: Record<string, unknown>;
  description: string | null;
  /** Time to live in seconds; -1: the default of the team; -2: unlimited. */
  ttl_seconds: number;
  /** Time of deletion; null: never. */
  expires_at: string | null;
  /** Run that created the version. */
  run_id: string | null;
  aliases: string[];
  tags: string[];
  /** Username. */
  created_by: string;
  created_at: string;
  updated_at: string;
  committed_at: string | null;
  /** Name of the team; `organization` for a registry. */
  entity: string;
  /** Name of the project; `svc-registry-<name>` for a registry. */
  project: string;
  /** File inside the version, if the path names one. */
  entry_path: string | null;
}

export interface ResolvedReference {
  kind: "call" | "trace" | "span" | "evaluation" | "run" | "job" | "delivery" | "object" | "op" | "artifact";
  /** Empty for an automation of the organization. */
  team: string;
  /** Null outside of projects. */
  project: string | null;
  id: string;
  /** Of its page, relative to `/console/`. */
  path: string;
}

export interface RetentionRead {
  /** entity/project */
  project_id: string;
}

export interface RetentionSettings {
  /** Null: unlimited. */
  retention_days: number | null;
}

export interface RetentionUpdate {
  /** entity/project */
  project_id: string;
  /** At least 1. Null: unlimited. */
  retention_days?: number | null;
}

export interface RewardBucket {
  /** Smallest reward of the bucket. */
  from: number;
  /** End of the bucket. Included in the last bucket, and if equal to `from`. */
  to: number;
  count: number;
}

export interface RewardSummary {
  count: number;
  min: number;
  max: number;
  mean: number;
  /** One bucket per value for up to 20 values, otherwise 20 of equal width. */
  histogram: RewardBucket[];
}

export interface RlConfig {
  /** 5e-6. */
  learning_rate?: number | null;
  /** `cispo`. */
  loss_fn?: "cispo" | "ppo" | null;
  /** Older spelling of `loss_fn`: true means `ppo`. */
  ppo?: boolean | null;
  /** Lower clip width of the importance ratio. Default: 0.2 for ppo, 1 for cispo. */
  epsilon?: number | null;
  /** Upper clip width of the importance ratio. Default: `epsilon` for ppo, 4 for cispo. */
  epsilon_high?: number | null;
  /** `token`. */
  importance_sampling_level?: "token" | "sequence" | "average" | "geometric_average" | null;
  /** true. */
  scale_rewards?: boolean | null;
  /** Default: true. Rewards are scaled if this and `scale_rewards` are true. */
  normalize_advantages?: boolean | null;
  /** Above 0, negative advantages have less weight; below 0, positive ones. Default: 0. */
  advantage_balance?: number | null;
  /** Upper bound of the importance ratio. */
  max_negative_advantage_importance_sampling_weight?: number | null;
  /** Mask tokens outside the clip range instead of clipping them. Default: false. */
  mask_prob_ratio?: boolean | null;
  kimi_k2_tau?: number | null;
  /** 0. */
  kl_penalty_coef?: number | null;
  /** Default: `sample` if `kl_penalty_coef` is positive. */
  kl_penalty_source?: "current_learner" | "sample" | null;
  /** Step of the reference checkpoint. */
  kl_penalty_reference_step?: number | null;
  /** Reference checkpoint, in steps back from the current step. */
  kl_penalty_step_lag?: number | null;
  /** Reference checkpoint, as the path of an artifact. */
  kl_ref_adapter_path?: string | null;
  /** With `precalculate_logprobs`: upper bound of the ratio of trainer to sampler probability. */
  truncated_importance_sampling?: number | null;
  /** false. */
  precalculate_logprobs?: boolean | null;
  /** false. */
  allow_training_without_logprobs?: boolean | null;
  /** Tokens per row. Default: the longest trajectory, rounded up to a multiple of 2,048. */
  packed_sequence_length?: number | null;
  /** 1024. */
  logprob_calculation_chunk_size?: number | null;
  /** 0. */
  num_trajectories_learning_rate_multiplier_power?: number | null;
  /** false. */
  scale_learning_rate_by_reward_std_dev?: boolean | null;
  /** Accepted for compatibility; ignored. */
  plot_tensors?: boolean | null;
}

export interface Run {
  /** Unique in its project. */
  run_id: string;
  /** Display name; not unique. */
  name: string;
  team: string;
  project: string;
  /** Username of the owner. */
  user: string;
  state: "pending" | "running" | "finished" | "failed" | "crashed" | "killed" | "preempted";
  config: Record<string, unknown>;
  /** Summary rules by metric key. */
  metrics: Record<string, unknown>;
  /** The last value of each metric, or the value that its rule in `metrics` selects. */
  summary: Record<string, unknown>;
  tags: string[];
  notes: string | null;
  /** Group of related runs. */
  group: string | null;
  /** `train`, `eval`, … */
  job_type: string | null;
  exit_code: number | null;
  /** Number of accepted rows; the `offset` of the next row. */
  history_line_count: number;
  last_step: number | null;
  /** A user asked the run to stop. */
  stop_requested: boolean;
  created_at: string;
  updated_at: string;
  /** Time of the last heartbeat. */
  heartbeat_at: string;
  finished_at: string | null;
}

export interface RunArtifact {
  /** `art_…` */
  id: string;
  /** `entity/project/collection:v3`; null without permission to read it. */
  path: string | null;
  type: string | null;
  digest: string | null;
  /** Bytes of all files. */
  size: number | null;
  /** Time of the use or of the commit. */
  at: string;
}

export interface RunArtifactPage {
  items: RunArtifact[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RunChange {
  name?: string;
  /** Replaces the old config. */
  config?: Record<string, unknown>;
  /** Replaces the old rules; applies from the next row on. */
  metrics?: Record<string, RunMetric>;
  /** Replaces the old summary; later rows update it. */
  summary?: Record<string, unknown>;
  /** Replaces the old tags. */
  tags?: string[];
  notes?: string | null;
  group?: string | null;
  job_type?: string | null;
}

export interface RunEnd {
  /** 0: the run finished; any other value: the run failed. */
  exit_code?: number;
  /** Members to add to the summary. */
  summary?: Record<string, unknown> | null;
  /** The machine is being taken away: with an exit code other than 0, the run counts as preempted. */
  preempting?: boolean;
}

export interface RunFilter {
  /** Owner of the run. */
  username?: string | null;
  /** RE2; matches anywhere in the name of the run. */
  name_regex?: string | null;
}

export interface RunHeartbeat {
  /** A user asked the run to stop. */
  stop_requested: boolean;
}

export interface RunHistoryAppended {
  /** Number of stored rows. */
  accepted: number;
  /** Number of rows that were stored already. */
  ignored: number;
  /** Step of the next row without a step. */
  next_step: number;
  /** The `offset` of the next row. */
  history_line_count: number;
  /** A user asked the run to stop. */
  stop_requested: boolean;
}

export interface RunHistoryPage {
  items: Array<Record<string, unknown>>;
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RunHistoryRow {
  /** Must not decrease. A repeated step adds keys to its row. Default: the next step. */
  step?: number | null;
  /** RFC 3339 or Unix seconds. Default: now. */
  timestamp?: string | null;
  /** Values by key; nested objects become dotted keys. */
  metrics: Record<string, unknown>;
}

export interface RunHistoryRows {
  /** Line number of the first row. The server ignores lines that it has stored already, so that a client can retry. Default: the next line. */
  offset?: number | null;
  rows: RunHistoryRow[];
}

export interface RunMetric {
  /** Value of the metric in the summary. */
  summary?: "last" | "min" | "max" | "mean" | "best" | "none";
  /** Whether `best` is the minimum or the maximum. */
  objective?: "minimize" | "maximize";
}

export interface RunMetricPoint {
  /** Step of the first value. */
  step: number;
  /** Step of the last value. */
  last_step: number;
  /** Number of finite values. */
  count: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  last: number | null;
}

export interface RunMetricSamples {
  key: string;
  /** Number of values. */
  count: number;
  /** In step order. */
  points: RunMetricPoint[];
}

export interface RunPage {
  items: Run[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RunSamples {
  /** One item per requested key. */
  items: RunMetricSamples[];
}

export interface RunStarted {
  run: Run;
  /** Step of the next row without a step. */
  next_step: number;
  /** The `offset` of the next row. */
  history_line_count: number;
}

export interface RunStateChange {
  state: "pending" | "failed";
}

export interface RunSystemMetricsAppended {
  /** Number of stored rows. */
  accepted: number;
  /** Number of rows that were stored already. */
  ignored: number;
  /** Step of the next row without a step. */
  next_step: number;
  /** The `offset` of the next row. */
  line_count: number;
  /** A user asked the run to stop. */
  stop_requested: boolean;
}

export interface RunSystemMetricsPage {
  items: Array<Record<string, unknown>>;
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Score {
  score_id: string;
  /** A reference. */
  scorer: string;
  /** Null is returned as 0.0. */
  value: unknown;
  evaluation_run_id: string | null;
  svc_user_id: string | null;
}

export interface ScoreCondition {
  name: string;
  /** `gt`, `gte`, `lt`, `lte`, `eq` or `ne`. */
  comparison: "gt" | "gte" | "lt" | "lte" | "eq" | "ne";
  threshold: number;
}

export interface ScoreCreate {
  prediction_id: string;
  /** A reference to an object. */
  scorer: string;
  value: unknown;
  evaluation_run_id?: string | null;
}

export interface ScoreCreated {
  score_id: string;
}

export interface ScorerCreate {
  name: string;
  description?: string | null;
  op_source_code: string;
}

export interface ScorerCreated {
  /** Digest of the content. */
  digest: string;
  object_id: string;
  version_index: number;
  /** Reference to the version. */
  scorer: string;
}

export interface ScorerView {
  object_id: string;
  digest: string;
  version_index: number;
  created_at: string;
  name: string;
  description: string | null;
  score_op: string;
}

export interface Secret {
  /** Assigned by the server. */
  id: string;
  /** Unique in the team. */
  name: string;
  /** Increases with every rotation. */
  version: number;
  /** Number of webhooks that use the secret. */
  used_by_count: number;
  created_at: string;
  updated_at: string;
}

export interface SecretPage {
  items: Secret[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface SecretValue {
  /** 1 byte to 64 KiB. */
  value: string;
}

export interface ServedModel {
  /** The `model` of requests. */
  id: string;
  /** `model`. */
  object: string;
  /** 0. */
  created: number;
  owned_by: string;
  /** The same as `id`. */
  root: string;
}

export interface ServedModelList {
  /** `list`. */
  object: string;
  data: ServedModel[];
}

export interface ServerInfo {
  /** Oldest client version that the server supports. */
  min_required_svc_python_version: string;
  trace_server_version: string | null;
}

export interface ServiceAccount {
  id: string;
  username: string;
  description: string;
  /** One team, or all teams. */
  scope: "team" | "organization";
  /** Null for organization scope. */
  team: string | null;
  created_at: string;
}

export interface Session {
  username: string;
  /** Full name. */
  name: string | null;
  /** Administers the whole deployment. */
  organization_admin: boolean;
  /** Value of the X-CSRF-Token header of requests other than GET. Null for a request with an API key, which needs none. */
  csrf_token: string | null;
  /** When the session ends at the latest. Null for a request with an API key. */
  expires_at: string | null;
  /** When the session ends if it is not used. */
  idle_expires_at: string | null;
}

export interface SessionPage {
  items: ListedSession[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface SftConfig {
  /** Lines per step. Default: 2. */
  batch_size?: number | "auto" | null;
  /** AdamW learning rate. A list has one per batch. Default: 5e-5. */
  learning_rate?: number | number[] | null;
  /** Train on all assistant messages of a conversation, or on the last. */
  assistant_turns?: "all" | "last";
  metric_logging?: SftMetricLogging | null;
}

export interface SftMetricLogging {
  /** false. */
  enabled?: boolean | null;
  target_training_step?: number | null;
}

export interface SftTrainingJobCreate {
  model_id: string;
  /** `svc-artifact:///entity/project/name:version`, an artifact that contains `trajectories.jsonl` or `train.jsonl`; or an `https://…` URL of such lines. */
  training_data_url: string;
  config?: SftConfig | null;
  experimental_config?: Record<string, unknown> | null;
}

export interface SignIn {
  /** An API key. The session ends with the key. */
  api_key?: string | null;
  /** User name, with `password`. */
  username?: string | null;
  password?: string | null;
  /** One-time code of a sign-in link, which `spindle login-link` prints. */
  code?: string | null;
}

export interface SignInMethods {
  api_key: boolean;
  password: boolean;
  /** The identity provider; null: none is configured. */
  oidc: SignInProvider | null;
}

export interface SignInProvider {
  /** To show to people. */
  name: string;
}

export interface SizeOperation {
  /** The length of a text or a list. */
  $size: LiteralOperation | GetFieldOperator | ConvertOperation | SizeOperation | AndOperation | OrOperation | NotOperation | EqOperation | GtOperation | LtOperation | GteOperation | LteOperation | InOperation | ContainsOperation;
}

export interface SortBy {
  /** The dotted path of a field. */
  field: string;
  direction: "asc" | "desc";
}

export interface SpanDistribution {
  alias: string;
  /** A custom attribute. */
  value: SpanValueRef;
  /** Number of bins, for numbers. */
  bins?: number;
  /** Number of most frequent values, for texts. */
  top_n?: number;
}

export interface SpanGroupBy {
  source?: "field" | "column" | "custom_attrs_string" | "custom_attrs_int" | "custom_attrs_float" | "custom_attrs_bool";
  key: string;
  /** Name of the key in the response. */
  alias?: string | null;
}

export interface SpanGroupFilter {
  group_by?: SpanGroupBy[];
  measure: SpanMeasure;
  /** Inclusive. */
  min?: number | string | null;
  /** Inclusive. */
  max?: number | string | null;
}

export interface SpanMeasure {
  alias: string;
  aggregation: "sum" | "avg" | "min" | "max" | "count" | "count_distinct" | "count_true" | "count_false";
  /** Required except for count. */
  value?: SpanValueRef | null;
  value_type?: "datetime" | "number" | "boolean" | "string" | null;
  /** Filter of the spans. */
  filter?: Query | null;
}

export interface SpanNumericBuckets {
  type?: "number";
  alias?: string;
  bins?: number;
  /** Default: the smallest value. */
  min?: number | null;
  /** Default: the greatest value. */
  max?: number | null;
  /** The value of each span. */
  value?: SpanValueRef | null;
  /** With a measure: one value per group. */
  group_by?: SpanGroupBy[];
  measure?: SpanMeasure | null;
}

export interface SpanRatingFilter {
  scorer_key: string;
  op: "gte" | "gt" | "lte" | "lt" | "eq";
  value: number;
}

export interface SpanSignalFilters {
  /** At least one must match. */
  tags?: string[];
  /** All must match. */
  ratings?: SpanRatingFilter[];
}

export interface SpanStats {
  start: string;
  end: string;
  /** Null for numeric buckets. */
  granularity: number | null;
  timezone: string;
  bucket_type: "time" | "number";
  columns: SpanStatsColumn[];
  rows: Array<Record<string, unknown>>;
}

export interface SpanStatsColumn {
  /** Name of the member in each row. */
  name: string;
  role: "time" | "bucket" | "group" | "metric";
  value_type: "datetime" | "number" | "boolean" | "string";
  metric: string | null;
  aggregation: string | null;
}

export interface SpanStatsMetric {
  alias: string;
  value_type: "datetime" | "number" | "boolean" | "string";
  value: SpanValueRef;
  /** Default: sum for numbers, count for other types. */
  aggregations?: Array<"sum" | "avg" | "min" | "max" | "count" | "count_distinct" | "count_true" | "count_false">;
  percentiles?: number[];
}

export interface SpanStatsRequest {
  /** entity/project */
  project_id: string;
  /** Filter of the spans. */
  query?: Query | null;
  /** Inclusive. */
  start: string;
  /** Exclusive. Default: now. */
  end?: string | null;
  /** Bucket length in seconds. Default: depends on the time range. */
  granularity?: number | null;
  /** Time zone of the bucket boundaries. */
  timezone?: string;
  /** Return rows for each group. */
  group_by?: SpanGroupBy[];
  metrics?: SpanStatsMetric[];
  /** Maximum number of groups; the largest are returned. */
  group_limit?: number;
  /** Default: buckets of time. */
  bucket_by?: SpanTimeBuckets | SpanNumericBuckets | null;
  /** Only spans of matching groups. Default groups: conversations. */
  group_filters?: SpanGroupFilter[];
  signal_filters?: SpanSignalFilters | null;
}

export interface SpanTimeBuckets {
  type?: "time";
}

export interface SpanValueRef {
  source?: "field" | "derived" | "custom_attrs_string" | "custom_attrs_int" | "custom_attrs_float" | "custom_attrs_bool";
  key: string;
}

export interface Spans {
  /** Empty with group_by. */
  spans: Array<Record<string, unknown>>;
  /** Empty without group_by. */
  groups: Array<Record<string, unknown>>;
  /** Number of rows before paging. */
  total_count: number;
}

export interface SpansQuery {
  /** entity/project */
  project_id: string;
  /** Filter of the spans. */
  query?: Query | null;
  /** Return groups instead of spans. */
  group_by?: SpanGroupBy[] | null;
  /** Aggregates of each group. */
  measures?: SpanMeasure[];
  /** Filters of the groups. */
  group_filters?: SpanGroupFilter[];
  group_distributions?: SpanDistribution[];
  /** Custom attributes to return. */
  custom_attr_columns?: SpanValueRef[];
  /** Only conversations with this feedback. */
  signal_filters?: SpanSignalFilters | null;
  /** Include messages, tool data and the raw span. */
  include_details?: boolean;
  include_costs?: boolean;
  sort_by?: AgentSort[] | null;
  limit?: number;
  offset?: number;
  /** Inclusive. */
  started_after?: string | null;
  /** Exclusive. */
  started_before?: string | null;
}

export interface StartedCall {
  id: string;
  trace_id: string;
}

export interface StreamOptions {
  /** Send the usage in the last chunk. */
  include_usage?: boolean | null;
}

export interface Success {
  success: boolean;
}

export interface SystemCheck {
  /** Always true. */
  api: boolean;
  database: boolean;
  /** The job queue. */
  cpu_queue: QueueCheck;
  /** The trainers. */
  gpu_queue: QueueCheck;
}

export interface TableAppend {
  row: Record<string, unknown>;
}

export interface TableAppendSpec {
  append: TableAppend;
}

export interface TableCreateReply {
  /** Digest of the table. */
  digest: string;
  /** In order. */
  row_digests: string[];
}

export interface TableCreateRequest {
  table: NewTable;
}

export interface TableFromDigestsReply {
  /** Digest of the table. */
  digest: string;
}

export interface TableFromDigestsRequest {
  /** `entity/project`. */
  project_id: string;
  /** Digests of stored rows. */
  row_digests: string[];
  /** Store only if the content has this digest; 409 otherwise. */
  expected_digest?: string | null;
}

export interface TableInsert {
  /** Position of the new row. */
  index: number;
  row: Record<string, unknown>;
}

export interface TableInsertSpec {
  insert: TableInsert;
}

export interface TablePop {
  index: number;
}

export interface TablePopSpec {
  pop: TablePop;
}

export interface TableQueryReply {
  rows: TableRow[];
}

export interface TableQueryRequest {
  /** `entity/project`. */
  project_id: string;
  /** Digest of the table. */
  digest: string;
  filter?: TableRowFilter | null;
  limit?: number | null;
  offset?: number | null;
  /** Paths into the rows. */
  sort_by?: ListSort[] | null;
}

export interface TableRow {
  /** Digest of the row. */
  digest: string;
  val: unknown;
  /** Position in the table, from 0. */
  original_index: number;
}

export interface TableRowFilter {
  /** Any of these. */
  row_digests?: string[] | null;
}

export interface TableStats {
  /** Rows. */
  count: number;
  digest: string;
  /** Present on request. */
  storage_size_bytes?: number | null;
}

export interface TableStatsBatchReply {
  tables: TableStats[];
}

export interface TableStatsBatchRequest {
  /** `entity/project`. */
  project_id: string;
  /** Unknown ones are omitted. */
  digests?: string[] | null;
  include_storage_size?: boolean | null;
}

export interface TableStatsReply {
  count: number;
}

export interface TableStatsRequest {
  /** `entity/project`. */
  project_id: string;
  /** Digest of the table. */
  digest: string;
}

export interface TableUpdateReply {
  /** Digest of the new table. */
  digest: string;
  /** Digest of the row that each update added or removed. */
  updated_row_digests: string[];
}

export interface TableUpdateRequest {
  /** `entity/project`. */
  project_id: string;
  /** Digest of the table to change. */
  base_digest: string;
  /** Applied in order. */
  updates: Array<TableAppendSpec | TablePopSpec | TableInsertSpec>;
}

export interface TagsReply {
  tags: string[];
}

export interface TagsRequest {
  /** `entity/project`. */
  project_id: string;
  /** Words of letters, digits, `_` and `-` with single spaces between them. */
  tags: string[];
}

export interface Team {
  /** Assigned by the server. */
  id: string;
  /** The entity name used in every path. */
  name: string;
  /** Time to live of artifact versions in days; null: unlimited. */
  default_artifact_ttl_days: number | null;
  /** Who may set the time to live of artifact versions. */
  ttl_permission: "admins" | "admins_and_members";
  created_at: string;
  updated_at: string;
}

export interface TeamChange {
  /** Time to live of artifact versions in days; null: unlimited. */
  default_artifact_ttl_days?: number | null;
  /** Who may set the time to live of artifact versions. */
  ttl_permission?: "admins" | "admins_and_members";
}

export interface TeamPage {
  items: Team[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface TemplateWarning {
  /** `unknown_variable` or `secret_in_body`. */
  code: string;
  /** The name in the template. */
  name: string;
  message: string;
}

export interface Thread {
  thread_id: string;
  turn_count: number;
  /** The earliest start. */
  start_time: string;
  /** The latest end. */
  last_updated: string;
  /** First turn by start. */
  first_turn_id: string;
  /** Last turn by end. */
  last_turn_id: string;
  p50_turn_duration_ms: number | null;
  p99_turn_duration_ms: number | null;
}

export interface ThreadsFilter {
  /** Only turns that started later. */
  after_datetime?: string | null;
  /** Only turns that started earlier. */
  before_datetime?: string | null;
  /** Null or empty: all. */
  thread_ids?: string[] | null;
}

export interface ThreadsQuery {
  /** entity/project */
  project_id: string;
  filter?: ThreadsFilter | null;
  /** Null: all. */
  limit?: number | null;
  offset?: number | null;
  /** By thread_id, turn_count, start_time, last_updated, p50_turn_duration_ms or p99_turn_duration_ms. Default: last updated first. */
  sort_by?: SortBy[] | null;
}

export interface TokenUsage {
  prompt_tokens?: number | null;
  /** Added to prompt_tokens. */
  input_tokens?: number | null;
  completion_tokens?: number | null;
  /** Added to completion_tokens. */
  output_tokens?: number | null;
  requests?: number | null;
  total_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
}

export interface TraceChat {
  trace_id: string;
  /** Null for an unknown trace. */
  root_span_name: string | null;
  agent_name: string | null;
  agent_version: string | null;
  status_code: string | null;
  provider: string | null;
  started_at: string | null;
  ended_at: string | null;
  svc_user_id: string | null;
  /** Duration of the root span. */
  total_duration_ms: number | null;
  /** Null if no price is known. */
  total_cost_usd: number | null;
  total_input_tokens: number;
  total_output_tokens: number;
  total_reasoning_tokens: number;
  total_cache_creation_input_tokens: number;
  total_cache_read_input_tokens: number;
  /** In reading order. */
  messages: ChatMessage[];
  /** With include_feedback. */
  feedback: Array<Record<string, unknown>> | null;
}

export interface TraceChatRequest {
  /** entity/project */
  project_id: string;
  trace_id: string;
  /** Include the feedback on the turn and on its spans. */
  include_feedback?: boolean;
}

export interface TraceOutline {
  trace_id: string;
  /** Length of each column. */
  count: number;
  /** True if the trace has more steps than the limit. */
  truncated: boolean;
  /** Start of the first step; null for an unknown trace. */
  t0: string | null;
  names: string[];
  /** All steps, oldest first. */
  columns: TraceOutlineColumns;
}

export interface TraceOutlineColumns {
  /** Ids of calls and spans. */
  id: string[];
  /** Index of the parent; -1 without one. */
  parent: number[];
  /** Index in `names`. */
  name: number[];
  kind: Array<"call" | "agent" | "tool" | "model">;
  /** Where the step is stored: as a call, as an agent span, or as both with one id. */
  source: Array<"call" | "span" | "both">;
  /** Microseconds after `t0`. */
  started_at: number[];
  /** Microseconds after `t0`; null: running. */
  ended_at: Array<number | null>;
  status: Array<"ok" | "error" | "running">;
  /** As the step reports them; a call may include those of the calls it made. */
  tokens: Array<number | null>;
  /** Of the tokens, in US dollars; null without a price. */
  cost: Array<number | null>;
}

export interface TraceOutlineRequest {
  /** entity/project */
  project_id: string;
  trace_id: string;
  /** Maximum number of steps; the oldest are returned. */
  limit?: number;
}

export interface TraceUsageRequest {
  /** entity/project */
  project_id: string;
  filter?: CallsFilter | null;
  query?: Query | null;
  include_costs?: boolean;
  /** Maximum number of calls to read. */
  limit?: number;
}

export interface TrainedModel {
  id: string;
  entity: string;
  project: string;
  name: string;
  base_model: string;
  /** The run with its metrics. */
  run_id?: string | null;
}

export interface TrainedModelCreate {
  /** The team. Default: your own. */
  entity?: string | null;
  /** Created if it does not exist. */
  project: string;
  /** Unique in the project. The collection of its adapters has the same name. */
  name: string;
  /** A model of the catalogue with a file on the server. */
  base_model: string;
  /** Return the existing model of that name, if any. */
  return_existing?: boolean;
}

export interface TrainedModelDetail {
  id: string;
  name: string;
  /** `team/project` */
  project: string;
  base_model: string;
  /** The run with its metrics. */
  run_id: string | null;
  /** Highest step ever published. */
  step: number;
  /** Path of the adapters. Use it as the `model` of a completion. */
  artifact: string;
  /** Number of checkpoints, with step 0. */
  checkpoints: number;
  newest_checkpoint: NewestCheckpoint | null;
  last_job: LastTrainingJob | null;
  created_at: string;
  created_by: string;
}

export interface TrainedModelPage {
  items: TrainedModelDetail[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Trainer {
  /** Null unless you are an organization admin or can read its job. */
  name: string | null;
  /** `lost`: the server has not heard from it for longer than its lease or poll. */
  state: "waiting" | "working" | "lost";
  /** Last contact. */
  seen_at: string;
  /** `cpu` or `cuda`; null if it has not asked for a job since the server started. */
  device: string | null;
  /** Null if you cannot read the job. */
  job: TrainerJob | null;
}

export interface TrainerCapabilities {
  /** Kinds of jobs. Default: all. */
  kinds?: Array<"rl" | "sft">;
  /** Forms of base models. Default: `gguf`. */
  formats?: Array<"gguf" | "huggingface">;
  /** Architectures of base models, such as `qwen3`. Empty: all. */
  families?: string[];
  /** Number of GPUs. */
  gpus?: number;
  /** Memory of each GPU in GiB. */
  gpu_memory_gib?: number;
  /** Labels that jobs may require. */
  labels?: string[];
}

export type TrainerDone = Record<string, unknown>;

export interface TrainerEvent {
  type: "training_started" | "gradient_step";
  /** Numbers by name. */
  data: Record<string, number>;
  /** With `training_started`: why there is nothing to learn. */
  note?: string | null;
}

export interface TrainerEvents {
  /** Number of the first event. */
  first: number;
  /** In order. Events that the server already has are ignored. */
  events: TrainerEvent[];
}

export interface TrainerEventsReply {
  last_sequence: number;
}

export interface TrainerFailure {
  /** What happened and what to do. */
  message: string;
}

export interface TrainerFile {
  name: string;
  /** Bytes. */
  size: number;
  /** Base64. */
  md5: string;
}

export interface TrainerHeartBeat {
  /** Estimated remaining time. */
  seconds_left?: number | null;
}

export interface TrainerHeartBeatReply {
  /** The job was cancelled: stop it. */
  cancel: boolean;
  /** New duration of the lease. */
  seconds: number;
}

export interface TrainerJob {
  id: string;
  /** `team/project` */
  project: string;
  model: string;
  /** 0 to 1. */
  progress: number | null;
}

export interface TrainerLease {
  job: LeasedJob;
  lease: Lease;
  model: LeasedModel;
  base_model: LeasedBaseModel;
  /** Adapter to continue from. */
  adapter: LeasedAdapter | null;
  /** KL reference adapter. */
  reference: LeasedAdapter | null;
  /** Complete configuration, with defaults. */
  config: Record<string, unknown>;
  /** What the job needs. */
  resources: TrainingResources;
  /** Standard deviation of rewards in earlier steps. */
  reward_history: LeasedRewardSpread[];
  data: LeasedData;
  /** Saved state of an earlier attempt. */
  state: LeasedState | null;
  /** Number of the last event that the server has. */
  last_sequence: number;
}

export interface TrainerPage {
  items: Trainer[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface TrainerPublished {
  step: number;
  version: string;
}

export type TrainerRelease = Record<string, never>;

export interface TrainerResult {
  /** Metrics of the checkpoint. */
  metrics?: Record<string, number>;
  /** Publish the previous adapter again. */
  unchanged?: boolean;
}

export interface TrainerWish {
  /** Unique name of the trainer; the same after a restart. */
  worker: string;
  /** Maximum time to wait for a job. */
  wait_seconds?: number;
  /** Device that trains: `cpu` or `cuda`. */
  device?: string | null;
  /** The jobs that the trainer can execute. Default: all jobs whose base model has a GGUF file and that need no resources. */
  capabilities?: TrainerCapabilities | null;
}

export interface TrainingHealth {
  /** Always `ok`. */
  status: string;
}

export interface TrainingJob {
  id: string;
  model_id: string;
  status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** Completed share of the expected gradient steps, 0 to 1; null before the start. */
  progress: number | null;
  /** What went wrong and what to do. */
  error_message: string | null;
  training_start: string | null;
  training_end: string | null;
  created_at: string;
  updated_at: string;
}

export interface TrainingJobCreate {
  model_id: string;
  trajectory_groups: TrajectoryGroup[];
  experimental_config?: RlConfig | null;
}

export interface TrainingJobDetail {
  id: string;
  model_id: string;
  status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** Completed share of the expected gradient steps, 0 to 1; null before the start. */
  progress: number | null;
  /** What went wrong and what to do. */
  error_message: string | null;
  training_start: string | null;
  training_end: string | null;
  created_at: string;
  updated_at: string;
  kind: "rl" | "sft";
  /** `team/project` */
  project: string;
  /** Name of the model. */
  model: string;
  base_model: string;
  run_id: string | null;
  /** Step of the published checkpoint. */
  step: number | null;
  /** Gradient steps. */
  steps_expected: number | null;
  /** Why there was nothing to learn. */
  note: string | null;
  /** Estimated remaining time. */
  seconds_left: number | null;
  /** Complete configuration, with defaults. */
  config: Record<string, unknown>;
  /** What the trainer must have. */
  resources: TrainingResources;
  data_url: string | null;
  data_bytes: number;
  created_by: string;
  /** Place among the waiting jobs of all projects, from 1; null if the job does not wait. Jobs of one model run one after the other. */
  queue_position: number | null;
  /** Name of the trainer that holds the job. */
  trainer: string | null;
}

export interface TrainingJobEvent {
  id: string;
  type: "training_started" | "gradient_step" | "training_ended" | "training_failed";
  data: Record<string, unknown>;
}

export interface TrainingJobEventList {
  /** Always `list`. */
  object?: string;
  data: TrainingJobEvent[];
  /** Empty for an empty page. */
  first_id?: string;
  /** Pass it as `after` for the next page. */
  last_id?: string;
  has_more: boolean;
}

export interface TrainingJobPage {
  items: TrainingJobDetail[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface TrainingJobRetry {
  /** Members of SftConfig or RlConfig that replace those of the earlier job; null: the default. Unknown members are refused. */
  config?: Record<string, unknown>;
  /** Other data. Required if a client sent the groups of the earlier job. */
  data_url?: string;
  /** What the trainer must have. Default: as the earlier job. */
  resources?: TrainingResources;
}

export interface TrainingJobStart {
  model_id: string;
  kind?: "rl" | "sft";
  /** `svc-artifact:///team/project/name:version`. For SFT also a URL. An artifact for RL contains one group per line, as exported with the format `rl`. */
  data_url: string;
  /** SftConfig or RlConfig. Unknown members are refused. */
  config?: Record<string, unknown>;
  /** What the trainer must have. Default: nothing. */
  resources?: TrainingResources;
}

export interface TrainingResources {
  /** Number of GPUs of the trainer, at least. */
  gpus?: number;
  /** Memory of each GPU in GiB, at least. */
  gpu_memory_gib?: number;
  /** Labels that the trainer must have, such as `h200`. */
  labels?: string[];
}

export interface Trajectory {
  /** Choices were sampled from the model and are trained on; messages are context. */
  messages_and_choices?: Array<TrajectoryChoice | TrajectorySystemMessage | TrajectoryUserMessage | TrajectoryAssistantMessage | TrajectoryToolMessage | TrajectoryFunctionMessage>;
  tools?: Array<TrajectoryTool | TrajectoryFunction> | null;
  /** Further conversations with the same reward. */
  additional_histories?: TrajectoryHistory[];
  /** Raw requests and responses, instead of the three members above. */
  exchanges?: Record<string, unknown>;
  reward?: number;
  /** Step of the model at the start of sampling. */
  initial_policy_version?: number | null;
  /** Step of the model at the end of sampling. */
  final_policy_version?: number | null;
  metrics?: Record<string, number>;
  metadata?: TrajectoryMetadata;
  logs?: string[];
}

export interface TrajectoryAnswerPart {
  type: "text" | "refusal";
  /** For type `text`. */
  text?: string;
}

export interface TrajectoryAssistantMessage {
  role: "assistant";
  name?: string;
  content?: string | TrajectoryAnswerPart[] | null;
  refusal?: string | null;
  tool_calls?: TrajectoryToolCall[] | null;
  function_call?: TrajectoryFunctionCall | null;
}

export interface TrajectoryAudioInput {
  data: string;
  format: "wav" | "mp3";
}

export interface TrajectoryAudioPart {
  type: "input_audio";
  input_audio: TrajectoryAudioInput;
}

export interface TrajectoryChoice {
  finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
  index: number;
  message: TrajectoryAssistantMessage;
  /** Log probabilities of all sampled tokens. Without them the choice is only context. */
  logprobs?: TrajectoryLogprobs | null;
}

export interface TrajectoryCustomCall {
  name: string;
  input: string;
}

export interface TrajectoryException {
  type: string;
  message: string;
  traceback: string;
}

export interface TrajectoryExclusions {
  /** Calls that ended with an exception. */
  failed: number;
  /** Calls or traces without an answer of a model. */
  no_answer: number;
  /** Calls of a trace that is included already (`unit` `trace`). */
  repeated_trace: number;
  /** Answers without a reward. */
  no_reward: number;
  /** Answers with a reward below `min_reward`. */
  below_min_reward: number;
}

export interface TrajectoryExport {
  /** `team/project` */
  project: string;
  /** Name of the artifact, in the same project. Required unless `dry_run`. */
  name?: string;
  /** `sft`: one line per example, from the first choice. `rl`: one line per group; each choice is a trajectory. */
  format?: "sft" | "rl";
  /** `calls`: traced calls. `agents`: traces with a matching agent span, each as one conversation. */
  source?: "calls" | "agents";
  /** `call`: the answer of each matching call; the default for calls. `trace`: the last answer in the trace of each matching call, once per trace. */
  unit?: "call" | "trace" | null;
  /** Filter of calls. A plain name in op_names also matches every version of that op in the project. */
  filter?: CallsFilter | null;
  /** Query for calls, or for spans if `source` is `agents`. */
  query?: Query | null;
  /** Location of the reward. Calls without a reward are skipped. */
  reward?: TrajectoryReward | null;
  /** Calls with a smaller reward are skipped. */
  min_reward?: number | null;
  /** Trajectories with the same value form a group. `input`: the prompt before the model started to answer and to use tools. */
  group_by?: "input" | "trace" | "thread";
  /** Maximum number of calls or traces to read, oldest first. */
  limit?: number;
  /** Return a preview of the export and create nothing. */
  dry_run?: boolean;
}

export interface TrajectoryExported {
  /** Path of the artifact. Use one with examples as `training_data_url`; send lines of groups as `trajectory_groups`. */
  artifact: string;
  version: string;
  /** Number of calls or agent traces read. */
  num_calls: number;
  num_trajectories: number;
  /** Number of examples or groups. */
  num_lines: number;
}

export interface TrajectoryFileInput {
  file_data?: string;
  file_id?: string;
  filename?: string;
}

export interface TrajectoryFilePart {
  type: "file";
  file: TrajectoryFileInput;
}

export interface TrajectoryFunction {
  name: string;
  description?: string;
  parameters?: Record<string, unknown>;
  strict?: boolean | null;
}

export interface TrajectoryFunctionCall {
  name: string;
  arguments: string;
}

export interface TrajectoryFunctionMessage {
  role: "function";
  name?: string;
  content: string | null;
}

export interface TrajectoryGroup {
  /** Attempts at the same task, whose rewards are compared. */
  trajectories?: Trajectory[];
  /** Attempts that failed. */
  exceptions?: TrajectoryException[];
  metadata?: Record<string, unknown>;
  metrics?: Record<string, number>;
  logs?: string[];
}

export interface TrajectoryHistory {
  messages_and_choices: Array<TrajectoryChoice | TrajectorySystemMessage | TrajectoryUserMessage | TrajectoryAssistantMessage | TrajectoryToolMessage | TrajectoryFunctionMessage>;
  tools?: Array<TrajectoryTool | TrajectoryFunction> | null;
}

export interface TrajectoryImagePart {
  type: "image_url";
  image_url: TrajectoryImageUrl;
}

export interface TrajectoryImageUrl {
  url: string;
  detail?: "auto" | "low" | "high";
}

export interface TrajectoryLog {
  /** `train`, `val`, … */
  split: string;
  trajectory_groups: TrajectoryGroup[];
}

export interface TrajectoryLogprobs {
  content?: TrajectoryTokenLogprob[] | null;
  refusal?: TrajectoryTokenLogprob[] | null;
}

export interface TrajectoryMetadata {
  /** Trajectories with the same value count as one scenario. */
  scenario_id?: unknown;
}

export interface TrajectoryPreview {
  /** Always true. */
  dry_run: boolean;
  /** Number of calls that match, counted up to 1,000,000; null for agent traces. */
  num_matching: number | null;
  /** Number of calls or agent traces read. */
  num_calls: number;
  num_trajectories: number;
  /** Number of examples or groups. */
  num_lines: number;
  /** Number of groups with different rewards. Others have no training signal. Null for `sft`. */
  num_trainable_groups: number | null;
  /** Number of trajectories whose answer has log probabilities, which RL needs. */
  num_with_logprobs: number;
  /** A preview reads at most 10,000 calls or traces, 128 MiB of payload and for 10 seconds. True if it ended at such a limit. */
  truncated: boolean;
  excluded: TrajectoryExclusions;
  /** Rewards of all answers that have one, also below `min_reward`. Null without rewards. */
  rewards: RewardSummary | null;
  /** At most 5. */
  samples: TrajectorySample[];
}

export interface TrajectoryReward {
  /** Type of the feedback that contains the reward; the newest feedback counts. Empty: the reward is in the call itself, or in a span of the trace. */
  feedback_type?: string;
  /** Path in the payload of the feedback (`output.score`), in the call (`output.score`, `summary.x`, `attributes.x`) or in spans (`attributes.x`). The value is a number, a boolean, or a list with one per choice of the completion. `scorer_ratings.x` and `scorer_tags.x` are results of the feedback's scorer. */
  path: string;
}

export interface TrajectorySample {
  /** `call_id`, `trace_id` and `conversation_id`, as far as they exist. */
  source: Record<string, string>;
  reward: number | null;
  /** Size of `data`. */
  bytes: number;
  /** The example (`sft`) or trajectory (`rl`); null if it is larger than 64 KiB. */
  data: Record<string, unknown> | null;
}

export interface TrajectorySystemMessage {
  role: "developer" | "system";
  name?: string;
  content: string | TrajectoryTextPart[];
}

export interface TrajectoryTextPart {
  type: "text";
  text: string;
}

export interface TrajectoryTokenLogprob {
  token: string;
  bytes?: number[] | null;
  logprob: number;
  top_logprobs: TrajectoryTopLogprob[];
}

export interface TrajectoryTool {
  type: "function";
  function: TrajectoryFunction;
}

export interface TrajectoryToolCall {
  id: string;
  type: "function" | "custom";
  /** For type `function`; `arguments` is JSON text. */
  function?: TrajectoryFunctionCall;
  /** For type `custom`. */
  custom?: TrajectoryCustomCall;
}

export interface TrajectoryToolMessage {
  role: "tool";
  name?: string;
  content: string | TrajectoryTextPart[];
  tool_call_id: string;
}

export interface TrajectoryTopLogprob {
  token: string;
  bytes?: number[] | null;
  logprob: number;
}

export interface TrajectoryUserMessage {
  role: "user";
  name?: string;
  content: string | Array<TrajectoryTextPart | TrajectoryImagePart | TrajectoryAudioPart | TrajectoryFilePart>;
}

export interface Upstream {
  /** Assigned by the server. */
  id: string;
  /** Unique. */
  name: string;
  /** Base URL of its OpenAI-compatible API, such as `https://api.example.com/v1`. */
  url: string;
  /** The upstream has a stored API key. */
  has_key: boolean;
  /** Timeout for the connection. */
  connect_timeout_ms: number;
  /** Timeout until the response starts. */
  first_token_timeout_ms: number;
  /** Timeout between two chunks of a stream. */
  idle_timeout_ms: number;
  /** The upstream supports `stream_options.include_usage`, which makes the usage of streams known. */
  stream_usage: boolean;
  /** Path of the health check, appended to `url`; empty: no health check. */
  health_path: string;
  /** How trained adapters get into the upstream. `none`: it serves no adapters. `vllm`: by `/v1/load_lora_adapter`; vLLM needs `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`. */
  adapters: "none" | "vllm";
  /** Path of the folder of adapters on the host of the upstream; null: the same path as on the server's machine (`inference.shared_adapters`). */
  adapter_path: string | null;
  /** URL of the adapter receiver on the host of the upstream, which gets the files of adapters; null: both machines share the folder. */
  adapter_receiver: string | null;
  /** Adapters that the server keeps loaded in the upstream. The least recently used one makes room for another. */
  max_adapters: number;
  /** Timeout of the transfer of an adapter, and of its loading by the upstream. */
  adapter_load_timeout_ms: number;
  created_at: string;
  updated_at: string;
}

export interface UpstreamAdapter {
  /** Name of the adapter in the upstream. */
  name: string;
  /** Artifact version (`entity/project/collection:vN`); empty if this server has not used the adapter since its start. */
  artifact: string;
  /** Number of requests that use the adapter. */
  requests: number;
}

export interface UpstreamAdapterPage {
  items: UpstreamAdapter[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface UpstreamChange {
  /** Base URL of its OpenAI-compatible API, such as `https://api.example.com/v1`. */
  url?: string;
  /** New API key; null removes it. */
  key?: string | null;
  /** Timeout for the connection. */
  connect_timeout_ms?: number;
  /** Timeout until the response starts. */
  first_token_timeout_ms?: number;
  /** Timeout between two chunks of a stream. */
  idle_timeout_ms?: number;
  /** The upstream supports `stream_options.include_usage`, which makes the usage of streams known. */
  stream_usage?: boolean;
  /** Path of the health check, appended to `url`; empty: no health check. */
  health_path?: string;
  /** How trained adapters get into the upstream. `none`: it serves no adapters. `vllm`: by `/v1/load_lora_adapter`; vLLM needs `--enable-lora` and `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`. */
  adapters?: "none" | "vllm";
  /** Path of the folder of adapters on the host of the upstream; null: the same path as on the server's machine (`inference.shared_adapters`). */
  adapter_path?: string | null;
  /** URL of the adapter receiver on the host of the upstream, which gets the files of adapters; null: both machines share the folder. */
  adapter_receiver?: string | null;
  /** Adapters that the server keeps loaded in the upstream. The least recently used one makes room for another. */
  max_adapters?: number;
  /** Timeout of the transfer of an adapter, and of its loading by the upstream. */
  adapter_load_timeout_ms?: number;
}

export interface UpstreamPage {
  items: Upstream[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface UpstreamTest {
  /** The upstream returned a list of models. */
  success: boolean;
  /** HTTP status of the response; null without a response. */
  status: number | null;
  /** Names of the models. */
  models: string[];
  /** Error message; null on success. */
  error: string | null;
  /** Duration of the test. */
  duration_ms: number;
}

export interface UsageMetric {
  metric: "input_tokens" | "output_tokens" | "total_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens" | "input_cost" | "output_cost" | "total_cost";
  aggregations?: Array<"sum" | "avg" | "min" | "max" | "count" | "count_true" | "count_false">;
  /** 0 to 100. */
  percentiles?: number[];
}

export interface UsageReply {
  /** Usage by call and model, including the descendants of the call. */
  call_usage: Record<string, Record<string, AggregatedUsage>>;
  /** Running calls, whose usage is not yet known. */
  unfinished_call_ids: string[];
}

export interface UsageRow {
  /** UTC, such as `2026-11-15`. */
  day?: string | null;
  /** The `model` of the requests. */
  model?: string | null;
  /** `team/project`; the id if the project no longer exists. */
  project?: string | null;
  /** User name; the id if the user no longer exists. */
  user?: string | null;
  /** `key_id` of the API key. */
  key?: string | null;
  requests: number;
  /** Requests with a status of 400 or higher, except cancelled ones. */
  errors: number;
  /** Requests whose client disconnected before the end. */
  cancelled: number;
  /** Including cached tokens. */
  prompt_tokens: number;
  /** Including reasoning tokens. */
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  /** At current prices. */
  cost_usd: number;
  /** Requests for models without a price; not included in the cost. */
  unpriced_requests: number;
  /** Latency of successful requests; null if there are none. */
  latency_ms: Latency | null;
  /** Time until the response started; null if unknown. */
  first_token_ms: FirstToken | null;
}

export interface User {
  /** Assigned by the server. */
  id: string;
  /** Unique in the deployment. */
  username: string;
  /** Null for service accounts. */
  email: string | null;
  /** Full name. */
  name: string | null;
  /** A person or a service account. */
  kind: "user" | "service";
  /** Administers the whole deployment. */
  organization_admin: boolean;
  /** Keys and sessions of a suspended user are refused. */
  suspended: boolean;
  created_at: string;
}

export interface UserChange {
  /** Full name. */
  name?: string;
  /** Unique in the deployment, without regard to case; null: none. */
  email?: string | null;
  /** Administers the whole deployment. */
  organization_admin?: boolean;
  /** Refuse the keys and sessions of the user from the next request on. */
  suspended?: boolean;
}

export interface UserPage {
  items: User[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ValidationError {
  loc: Array<string | number>;
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
}

export interface Version {
  /** Always `spindle`. */
  name: string;
  /** Release, such as `0.1.0`. */
  version: string;
}

export interface Webhook {
  /** Assigned by the server. */
  id: string;
  /** Unique in the team. */
  name: string;
  /** Endpoint URL; only the host for users who are not team admins. */
  url_endpoint: string;
  /** Name of the secret that is sent as a Bearer token. */
  access_token_ref: string | null;
  /** Name of the signing secret, which payloads may use. */
  secret_ref: string | null;
  /** Maximum number of concurrent requests. */
  max_concurrency: number;
  status: "active" | "disabled";
  /** `manual`, `failing` or `gone`. */
  disabled_reason: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookChange {
  /** Unique in the team. */
  name?: string;
  /** Endpoint URL: an https URL. */
  url_endpoint?: string;
  /** Name of a secret; null for none. */
  access_token_ref?: string | null;
  /** Name of a secret; null for none. */
  secret_ref?: string | null;
  /** Maximum number of concurrent requests. */
  max_concurrency?: number;
  /** A disabled webhook is not called. */
  status?: "active" | "disabled";
}

export interface WebhookPage {
  items: Webhook[];
  /** `cursor` of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface WebhookRecovered {
  /** Number of deliveries. */
  requeued: number;
}

export interface WebhookRecovery {
  since: string;
  /** Default: now. */
  until?: string | null;
}

export interface WebhookStatistics {
  webhook_id: string;
  name: string;
  status: "active" | "disabled";
  /** `manual`, `failing`, `gone`; null for an active webhook. */
  disabled_reason: string | null;
  /** Deliveries by state. */
  counts: DeliveryCounts;
  /** Requests to the endpoint. */
  attempts: number;
  /** Succeeded deliveries divided by succeeded and failed ones; null if there are none. */
  success_rate: number | null;
  /** Median duration of the attempts that got a response. */
  latency_p50_ms: number | null;
  latency_p95_ms: number | null;
  /** The last attempt with a 2xx response. */
  last_success_at: string | null;
  /** The last other attempt. */
  last_failure: FailedAttempt | null;
}

export interface WebhookTest {
  /** The template to send, as text or as a JSON object; `{}` if omitted. */
  payload?: string | Record<string, unknown> | null;
}
