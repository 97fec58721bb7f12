#include "evaluation/routes/job_api.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "evaluation/runner/evaluation_jobs.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {
namespace {

using http::Context, identity::projectRecord, tracing::ProjectScope;
using schema::Codec, schema::integer, schema::list, schema::literal, schema::nullable,
    schema::Record, schema::string;

struct ProjectBody {
  std::string project_id;
};
struct EvaluateBody : ProjectBody {
  std::string evaluation_ref;
  std::string model_ref;
};
struct CallBody : ProjectBody {
  std::string call_id;
};
struct RescoreBody : ProjectBody {
  std::string source_evaluation_run_id;
  std::vector<std::string> scorer_refs;
};
struct ScoreCallsBody : ProjectBody {
  std::vector<std::string> call_ids;
  std::vector<std::string> scorer_refs;
};

struct EvaluateReply {
  std::string call_id;
};
struct RescoreReply : EvaluateReply {
  std::string evaluation_run_id;
};
struct ScoreCallsReply {};
struct CancelReply {
  bool cancelled = false;
};

struct NotFoundStatus {
  std::string code = "not_found";
};
struct RunningStatus {
  std::string code = "running";
  std::int64_t completed_rows = 0;
  std::int64_t total_rows = 0;
};
struct FailedStatus {
  std::string code = "failed";
  std::optional<std::string> error;
};
struct CompleteStatus {
  std::string code = "complete";
  json::Text output;
};
using Status = std::variant<NotFoundStatus, RunningStatus, FailedStatus, CompleteStatus>;
struct StatusReply {
  Status status;
};

Codec<EvaluateBody> evaluateCodec() {
  return projectRecord<EvaluateBody>("EvaluateModel")
      .required("evaluation_ref", &EvaluateBody::evaluation_ref, string())
      .required("model_ref", &EvaluateBody::model_ref, string(),
                "An object with `kind: chat_completion`.")
      .codec();
}

Codec<CallBody> callCodec(std::string name) {
  return projectRecord<CallBody>(std::move(name))
      .required("call_id", &CallBody::call_id, string(), "The id of the run.")
      .codec();
}

Codec<RescoreBody> rescoreCodec() {
  return projectRecord<RescoreBody>("EvaluationRescore")
      .required("source_evaluation_run_id", &RescoreBody::source_evaluation_run_id, string(),
                "A finished run of the server or of an SDK.")
      .required("scorer_refs", &RescoreBody::scorer_refs, list(string(), {.min_items = 1}),
                "Built-in scorers.")
      .codec();
}

Codec<ScoreCallsBody> scoreCallsCodec() {
  return projectRecord<ScoreCallsBody>("CallsScore")
      .required("call_ids", &ScoreCallsBody::call_ids, list(string()),
                "Missing and unfinished calls are skipped.")
      .required("scorer_refs", &ScoreCallsBody::scorer_refs, list(string()), "Built-in scorers.")
      .codec();
}

Codec<StatusReply> statusCodec() {
  const Codec<NotFoundStatus> not_found =
      Record<NotFoundStatus>("EvaluationNotFound")
          .required("code", &NotFoundStatus::code, literal({"not_found"}))
          .codec();
  const Codec<RunningStatus> running =
      Record<RunningStatus>("EvaluationRunning")
          .required("code", &RunningStatus::code, literal({"running"}))
          .required("completed_rows", &RunningStatus::completed_rows, integer(),
                    "Calls directly below the run that have ended.")
          .required("total_rows", &RunningStatus::total_rows, integer(),
                    "Rows of the dataset, if the caller can read it.")
          .codec();
  const Codec<FailedStatus> failed =
      Record<FailedStatus>("EvaluationFailed")
          .required("code", &FailedStatus::code, literal({"failed"}))
          .required("error", &FailedStatus::error, nullable(string()),
                    "Always null; the call of the run has the exception.")
          .codec();
  const Codec<CompleteStatus> complete =
      Record<CompleteStatus>("EvaluationComplete")
          .required("code", &CompleteStatus::code, literal({"complete"}))
          .required("output", &CompleteStatus::output, schema::jsonObject())
          .codec();
  return Record<StatusReply>("EvaluationStatus")
      .required("status", &StatusReply::status,
                schema::anyOf(schema::Alternative<NotFoundStatus>{"not_found", not_found},
                              schema::Alternative<RunningStatus>{"running", running},
                              schema::Alternative<FailedStatus>{"failed", failed},
                              schema::Alternative<CompleteStatus>{"complete", complete}))
      .codec();
}

/// Returns the codec of a reply with one member.
template <class Reply, class Member>
Codec<Reply> replyWith(std::string record,
                       std::string_view name,
                       Member Reply::*member,
                       const Codec<Member>& codec,
                       std::string_view doc) {
  return Record<Reply>(std::move(record)).required(name, member, codec, doc).codec();
}

Result<RunScope> writableScope(const JobServices& services,
                               const Context& context,
                               const ProjectBody& body) {
  ProjectScope scope = TRY(tracing::writableProject(services.tracing, context, body.project_id));
  return RunScope{std::move(scope), context.caller().user_id, context.spelling(),
                  context.caller().key_id};
}

Result<EvaluateReply> evaluate(const JobServices& services,
                               const Context& context,
                               const EvaluateBody& body) {
  const RunScope scope = TRY(writableScope(services, context, body));
  std::string run = TRY(services.jobs.evaluate(scope, body.evaluation_ref, body.model_ref));
  return EvaluateReply{std::move(run)};
}

Result<RescoreReply> rescore(const JobServices& services,
                             const Context& context,
                             const RescoreBody& body) {
  const RunScope scope = TRY(writableScope(services, context, body));
  const std::string run =
      TRY(services.jobs.rescore(scope, body.source_evaluation_run_id, body.scorer_refs));
  return RescoreReply{{run}, run};
}

Result<ScoreCallsReply> scoreCalls(const JobServices& services,
                                   const Context& context,
                                   const ScoreCallsBody& body) {
  const RunScope scope = TRY(writableScope(services, context, body));
  TRY(services.jobs.scoreCalls(scope, body.call_ids, body.scorer_refs));
  return ScoreCallsReply();
}

Result<CancelReply> cancel(const JobServices& services,
                           const Context& context,
                           const CallBody& body) {
  const RunScope scope = TRY(writableScope(services, context, body));
  const bool cancelled = TRY(services.jobs.cancel(scope, body.call_id));
  return CancelReply{cancelled};
}

Result<StatusReply> status(const JobServices& services,
                           const Context& context,
                           const CallBody& body) {
  const std::string& user_id = context.caller().user_id;
  const ProjectScope project =
      TRY(tracing::readableProject(services.tracing, context, body.project_id));
  RunStatus found = TRY(services.jobs.status(project, user_id, body.call_id));
  StatusReply reply;
  switch (found.code) {
    case RunStatus::Code::kNotFound:
      break;
    case RunStatus::Code::kRunning:
      reply.status = RunningStatus{"running", found.completed_rows, found.total_rows};
      break;
    case RunStatus::Code::kFailed:
      reply.status = FailedStatus();
      break;
    case RunStatus::Code::kComplete: {
      const auto projects = services.tracing.ref_projects(user_id);
      TRY(objects::externalizeRefs(found.output, *projects, context.spelling()));
      reply.status = CompleteStatus{"complete", json::Text{std::move(found.output)}};
      break;
    }
  }
  return reply;
}

}  // namespace

void addJobRoutes(JobRoutes routes) {
  routes.setTag("evaluation jobs");
  routes.post("/evaluations/evaluate_model",
              {"evaluateModel", "Evaluate a model on the server.",
               "Returns the id of the run; /evaluations/status returns its progress."},
              {.body = evaluateCodec(),
               .reply = replyWith("EvaluateModelReply", "call_id", &EvaluateReply::call_id,
                                  string(), "The id of the run.")},
              evaluate);
  routes.post("/evaluations/status", {"evaluationStatus", "Get the status of a run."},
              {.body = callCodec("EvaluationStatusRequest"), .reply = statusCodec()}, status);
  routes.post(
      "/evaluations/rescore", {"rescoreEvaluation", "Score the predictions of a run again."},
      {.body = rescoreCodec(),
       .reply = Record<RescoreReply>("EvaluationRescoreReply")
                    .required("call_id", &RescoreReply::call_id, string(), "The id of the new run.")
                    .required("evaluation_run_id", &RescoreReply::evaluation_run_id, string(),
                              "Same as call_id.")
                    .codec()},
      rescore);
  routes.post("/evaluations/cancel",
              {"cancelEvaluation", "Cancel a run that the server executes.",
               "The run fails; recorded scores stay."},
              {.body = callCodec("EvaluationCancel"),
               .reply = replyWith("EvaluationCancelReply", "cancelled", &CancelReply::cancelled,
                                  schema::boolean(), "False if the run had ended already.")},
              cancel);
  routes.post(
      "/calls/score",
      {"scoreCalls", "Score calls on the server.",
       "Adds the scores asynchronously, as feedback on the calls."},
      {.body = scoreCallsCodec(), .reply = Record<ScoreCallsReply>("CallsScoreReply").codec()},
      scoreCalls);
}

}  // namespace spindle::evaluation
