#include "http/router/router.h"
#include "runs/run_repository.h"
#include "runs/run_view.h"

namespace spindle::runs {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using registry::Place;
using schema::Extra;

struct BeatReply {
  bool stop_requested = false;
};

struct FinishBody {
  std::int64_t exit_code = 0;
  std::optional<json::Text> summary;
  bool preempting = false;
};

struct StateBody {
  std::string state;
};

Result<Reply<RunView>> shown(const Result<Run>& run, const RunPath& path) {
  if (!run) return run.error();
  return replyOf(*run, path);
}

Result<Reply<BeatReply>> beat(const RunServices& services,
                              const Context& context,
                              const RunPath& path) {
  const Place place = TRY(authorizeWrite(services, context, path));
  const bool stop_requested = TRY(services.runs.beat(place, path.run));
  return Reply(BeatReply{stop_requested});
}

Result<Reply<RunView>> finish(const RunServices& services,
                              const Context& context,
                              const RunPath& path,
                              const FinishBody& body) {
  const Place place = TRY(authorizeWrite(services, context, path));
  RunEnd end;
  end.exit_code = body.exit_code;
  end.preempting = body.preempting;
  if (body.summary) end.summary = body.summary->json;
  return shown(services.runs.finish(place, path.run, end), path);
}

Result<Reply<RunView>> setState(const RunServices& services,
                                const Context& context,
                                const RunPath& path,
                                const StateBody& body) {
  const Place place = TRY(authorizeWrite(services, context, path));
  const RunTrigger trigger =
      body.state == "pending" ? RunTrigger::kSetPending : RunTrigger::kSetFailed;
  return shown(services.runs.move(place, path.run, trigger), path);
}

Result<Reply<RunView>> stop(const RunServices& services,
                            const Context& context,
                            const RunPath& path) {
  const Place place = TRY(authorizeRunEnd(services, context, path));
  return shown(services.runs.requestStop(place.project_id, path.run), path);
}

Result<Reply<RunView>> kill(const RunServices& services,
                            const Context& context,
                            const RunPath& path) {
  const Place place = TRY(authorizeManage(services, context, path));
  return shown(services.runs.move(place, path.run, RunTrigger::kKill), path);
}

}  // namespace

void addRunStateRoutes(http::Router& router,
                       const RunServices& services,
                       const http::RoutePolicy& policy) {
  router.add(Endpoint<RunPath, Nothing, BeatReply>{
      .method = Method::kPost,
      .path = "/api/v1/projects/{team}/{project}/runs/{run}/heartbeat",
      .operation_id = "beatRun",
      .summary = "Send a heartbeat",
      .description = "Send one every 30 seconds. After five minutes without a heartbeat, a running "
                     "run counts as "
                     "crashed.",
      .tag = kRunsTag,
      .policy = policy,
      .params = runPath(),
      .reply = schema::Record<BeatReply>("RunHeartbeat")
                   .required("stop_requested", &BeatReply::stop_requested, schema::boolean(),
                             "A user asked the run to stop.")
                   .codec(),
      .handler = [services](const Context& context, const RunPath& path,
                            Nothing) { return beat(services, context, path); },
  });
  router.addRoute(withOptionalBody(http::routeOf(Endpoint<RunPath, FinishBody, RunView>{
      .method = Method::kPost,
      .path = "/api/v1/projects/{team}/{project}/runs/{run}/finish",
      .operation_id = "finishRun",
      .summary = "End a run",
      .description = "A repeated request with the same exit code has no effect.",
      .tag = kRunsTag,
      .facts = {.etag = true},
      .policy = policy,
      .params = runPath(),
      .body = schema::Record<FinishBody>("RunEnd", Extra::kForbid)
                  .optional("exit_code", &FinishBody::exit_code, schema::integer(),
                            "0: the run finished; any other value: the run failed.")
                  .optional("summary", &FinishBody::summary, schema::nullable(schema::jsonObject()),
                            "Members to add to the summary.")
                  .optional("preempting", &FinishBody::preempting, schema::boolean(),
                            "The machine is being taken away: with an exit code other than 0, the "
                            "run counts as "
                            "preempted.")
                  .codec(),
      .reply = runViewCodec(),
      .handler = [services](
                     const Context& context, const RunPath& path,
                     const FinishBody& body) { return finish(services, context, path, body); },
  })));
  router.add(Endpoint<RunPath, StateBody, RunView>{
      .method = Method::kPost,
      .path = "/api/v1/projects/{team}/{project}/runs/{run}/state",
      .operation_id = "setRunState",
      .summary = "Set a run pending or failed",
      .tag = kRunsTag,
      .facts = {.etag = true},
      .policy = policy,
      .params = runPath(),
      .body = schema::Record<StateBody>("RunStateChange", Extra::kForbid)
                  .required("state", &StateBody::state, schema::literal({"pending", "failed"}), "")
                  .codec(),
      .reply = runViewCodec(),
      .handler = [services](
                     const Context& context, const RunPath& path,
                     const StateBody& body) { return setState(services, context, path, body); },
  });
  router.add(Endpoint<RunPath, Nothing, RunView>{
      .method = Method::kPost,
      .path = "/api/v1/projects/{team}/{project}/runs/{run}/stop",
      .operation_id = "stopRun",
      .summary = "Ask a run to stop",
      .description =
          "The run learns this from the response to its next heartbeat. Members can stop "
          "their own runs, admins all runs.",
      .tag = kRunsTag,
      .success_status = 202,
      .facts = {.etag = true},
      .policy = policy,
      .params = runPath(),
      .reply = runViewCodec(),
      .handler = [services](const Context& context, const RunPath& path,
                            Nothing) { return stop(services, context, path); },
  });
  router.add(Endpoint<RunPath, Nothing, RunView>{
      .method = Method::kPost,
      .path = "/api/v1/projects/{team}/{project}/runs/{run}/kill",
      .operation_id = "killRun",
      .summary = "Kill a run",
      .description = "Sets the state to `killed` immediately. Admins only. Raises no event.",
      .tag = kRunsTag,
      .success_status = 202,
      .facts = {.etag = true},
      .policy = policy,
      .params = runPath(),
      .reply = runViewCodec(),
      .handler = [services](const Context& context, const RunPath& path,
                            Nothing) { return kill(services, context, path); },
  });
}

}  // namespace spindle::runs
