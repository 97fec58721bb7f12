// The changing operations of the API and their entries in the audit log. audit.test.mjs fails for an operation that
// is in neither list.

/** By operation: the action of its entry, or the possible ones. */
export const AUDITED = {
  // Identities and keys.
  createUser: "user.create",
  changeUser: ["user.update", "user.suspend", "user.resume"],
  deleteUser: "user.delete",
  createTeam: "team.create",
  changeTeam: "team.update",
  deleteTeam: "team.delete",
  putMember: ["team_member.add", "team_member.update"],
  removeMember: ["team_member.remove", "service_account.delete"],
  createServiceAccount: "service_account.create",
  createInvitation: "invitation.create",
  revokeInvitation: "invitation.revoke",
  acceptInvitation: "invitation.accept",
  signIn: "session.create",
  signOut: "session.revoke",
  endSession: "session.revoke",
  changePassword: "password.change",
  setPassword: "password.change",
  createApiKey: "api_key.create",
  revokeApiKey: "api_key.revoke",
  createProject: "project.create",
  changeProject: "project.update",
  deleteProject: "project.delete",
  putProjectMember: "project_member.update",
  removeProjectMember: "project_member.remove",
  createRegistry: "registry.create",
  changeRegistry: "registry.update",
  deleteRegistry: "registry.delete",
  putRegistryMember: "registry_member.update",
  removeRegistryMember: "registry_member.remove",
  protectAlias: "registry_alias.protect",
  unprotectAlias: "registry_alias.unprotect",
  // Secrets, webhooks, automations.
  createSecret: "secret.create",
  rotateSecret: "secret.rotate",
  deleteSecret: "secret.delete",
  createWebhook: "webhook.create",
  changeWebhook: "webhook.update",
  deleteWebhook: "webhook.delete",
  createAutomation: "automation.create",
  changeAutomation: "automation.update",
  deleteAutomation: "automation.delete",
  // Models, upstreams, limits, prices, retention.
  createCatalogueModel: "model.create",
  updateCatalogueModel: "model.update",
  deleteCatalogueModel: "model.delete",
  createUpstream: "upstream.create",
  updateUpstream: "upstream.update",
  deleteUpstream: "upstream.delete",
  createLimit: "limit.create",
  updateLimit: "limit.update",
  deleteLimit: "limit.delete",
  set_completion_tracing: "completion_tracing.update",
  releaseQuarantinedAdapter: "quarantined_adapter.release",
  createCosts: "price.create",
  purgeCosts: "price.delete",
  updateRetention: "retention.update",
  // Deletions of data.
  deleteCalls: "calls.delete",
  deleteEvaluationRuns: "calls.delete",
  deletePredictions: "calls.delete",
  deleteScores: "calls.delete",
  deleteObject: "object.delete",
  deleteDataset: "object.delete",
  deleteEvaluation: "object.delete",
  deleteModel: "object.delete",
  deleteOp: "object.delete",
  deleteScorer: "object.delete",
  deleteCollection: "collection.delete",
  deleteRegistryCollection: "collection.delete",
  deleteVersion: "version.delete",
  unlinkInProject: "link.delete",
  unlinkInRegistry: "link.delete",
  deleteRegistryVersion: "link.delete",
  deleteRun: "run.delete",
  purgeFeedback: "feedback.purge",
  deleteAnnotationQueue: "annotation_queue.delete",
  deleteTrainedModel: "trained_model.delete",
  deleteCheckpoints: "checkpoint.delete",
};

/** Operations without an entry, by reason. */
export const EXEMPT = {
  "reads although its method is POST": [
    "queryAgentVersions", "conversationChat", "conversationSpans", "queryAgents", "searchAgentMessages",
    "customAttributes", "querySpans", "spanStats", "traceChat", "queryAnnotationQueues", "annotationQueueStats",
    "queryAnnotationItems", "renderAutomation", "readCall", "queryCalls", "countCalls", "callStats", "streamCalls",
    "callsUsage", "queryCosts", "evaluationStatus", "aggregateFeedback", "feedbackPayloadSchema", "queryFeedback",
    "feedbackStatistics", "readFile", "readFileToo", "fileStats", "fileStatsToo", "graphql", "readObject",
    "queryObjects", "projectStats", "readRetention", "readRefs", "getProjectsInfo", "queryTable", "tableStats",
    "tableStatsBatch", "streamThreads", "traceUsage", "queryEvalResults", "create_chat_completion",
    "create_chat_completion_slash", "showInvitation", "create_completion", "create_embedding",
  ],
  "records data and deletes none": [
    "exportAgentSpans", "createAnnotationQueue", "updateAnnotationQueue", "addAnnotationItems",
    "setAnnotationProgress", "putBlob", "createCollection", "changeCollection", "linkInProject", "createVersion",
    "changeVersion", "commitVersion", "renewUploads", "startRun", "changeRun", "finishRun", "beatRun",
    "appendHistory", "addRunInput", "setRunState", "appendSystemMetrics", "createRegistryCollection",
    "changeRegistryCollection", "linkInRegistry", "changeRegistryVersion", "startCall", "endCall", "updateCall",
    "upsertCallBatch", "createFeedback", "createFeedbackBatch", "replaceFeedback", "createFile", "createFileToo",
    "createObject", "exportCalls", "createTable", "createTableFromDigests", "updateTable", "exportTraces",
    "endCallV2", "startCallV2", "completeCalls", "createDataset", "createEvaluation", "createModel", "createOp",
    "createScorer", "createEvaluationRun", "finishEvaluationRun", "createPrediction", "finishPrediction",
    "createScore", "logTrajectories", "createTrainedModel", "exportTrajectories",
  ],
  "changes labels, which versions keep": [
    "putCollectionTag", "deleteCollectionTag", "putArtifactAlias", "deleteArtifactAlias", "putArtifactTag",
    "deleteArtifactTag", "putRegistryCollectionTag", "deleteRegistryCollectionTag", "putRegistryAlias",
    "deleteRegistryAlias", "putRegistryTag", "deleteRegistryTag", "setAliases", "removeAliases", "addTags",
    "removeTags",
  ],
  "starts, steers or repeats work": [
    "beginBackupHold", "endBackupHold", "markBackupHold", "renewBackupHold", "cancelDelivery", "replayDelivery",
    "recoverWebhook", "testWebhook", "testNewWebhook", "testUpstream", "unloadEngine", "killRun", "stopRun",
    "scoreCalls", "cancelEvaluation", "evaluateModel", "rescoreEvaluation", "cancelTrainingJob",
    "createSftTrainingJob", "createTrainingJob", "completeTrainingJob", "tellTrainingJobEvents", "failTrainingJob",
    "putTrainingJobFile", "beatTrainingJob", "releaseTrainingJob", "putTrainingJobState", "leaseTrainingJob",
  ],
  "concerns only how the caller sees the console": ["putPreferences"],
};

/** Resolves with the entry of a successful request, if it has one of the actions of its operation. */
export async function entryOf(server, answer, operation) {
  const id = answer.headers["x-request-id"];
  const { items } = (await server.api("GET", "/api/v1/audit?limit=50")).json;
  const actions = [AUDITED[operation]].flat();
  return items.find((entry) => entry.request_id === id && actions.includes(entry.action));
}
