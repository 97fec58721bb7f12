#include "http/router/route_group.h"
#include "runs/run_repository.h"
#include "runs/run_view.h"

namespace spindle::runs {
namespace {

using http::Context, http::Reply;
using registry::Place, schema::Extra;

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

Result<BeatReply> beat(const RunServices& services, const Context& context, const RunPath& path) {
  const Place place = TRY(authorize(services, context, path, identity::Action::kWriteProject));
  const bool stop_requested = TRY(services.runs.beat(place, path.run));
  return BeatReply{stop_requested};
}

Result<Reply<RunView>> finish(const RunServices& services,
                              const Context& context,
                              const RunPath& path,
                              const FinishBody& body) {
  const Place place = TRY(authorize(services, context, path, identity::Action::kWriteProject));
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
  const Place place = TRY(authorize(services, context, path, identity::Action::kWriteProject));
  const RunTrigger trigger =
      body.state == "pending" ? RunTrigger::kSetPending : RunTrigger::kSetFailed;
  return shown(services.runs.move(place, path.run, trigger), path);
}

Result<Reply<RunView>> stop(const RunServices& services,
                            const Context& context,
                            const RunPath& path) {
  const Place place = TRY(authorizeRunEnd(services, context, path));
  return shown(services.runs.requestStop({place.project_id, path.run}), path);
}

Result<Reply<RunView>> kill(const RunServices& services,
                            const Context& context,
                            const RunPath& path) {
  const Place place = TRY(authorize(services, context, path, identity::Action::kManageProject));
  return shown(services.runs.move(place, path.run, RunTrigger::kKill), path);
}

}  // namespace

void addRunStateRoutes(RunRoutes routes) {
  routes.post("/api/v1/projects/{team}/{project}/runs/{run}/heartbeat",
              {"beatRun", "Send a heartbeat",
               "Send one every 30 seconds. After five minutes without a heartbeat, a running "
               "run counts as "
               "crashed."},
              {.params = runPath(),
               .reply = schema::Record<BeatReply>("RunHeartbeat")
                            .required("stop_requested", &BeatReply::stop_requested,
                                      schema::boolean(), "A user asked the run to stop.")
                            .codec()},
              beat);
  makeBodyOptional(routes.post(
      "/api/v1/projects/{team}/{project}/runs/{run}/finish",
      {"finishRun", "End a run", "A repeated request with the same exit code has no effect."},
      {.params = runPath(),
       .body =
           schema::Record<FinishBody>("RunEnd", Extra::kForbid)
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
       .facts = {.etag = true}},
      finish));
  routes.post(
      "/api/v1/projects/{team}/{project}/runs/{run}/state",
      {"setRunState", "Set a run pending or failed"},
      {.params = runPath(),
       .body = schema::Record<StateBody>("RunStateChange", Extra::kForbid)
                   .required("state", &StateBody::state, schema::literal({"pending", "failed"}))
                   .codec(),
       .reply = runViewCodec(),
       .facts = {.etag = true}},
      setState);
  routes.post(
      "/api/v1/projects/{team}/{project}/runs/{run}/stop",
      {"stopRun", "Ask a run to stop",
       "The run learns this from the response to its next heartbeat. Members can stop "
       "their own runs, admins all runs."},
      {.params = runPath(), .reply = runViewCodec(), .status = 202, .facts = {.etag = true}}, stop);
  routes.post(
      "/api/v1/projects/{team}/{project}/runs/{run}/kill",
      {"killRun", "Kill a run",
       "Sets the state to `killed` immediately. Admins only. Raises no event."},
      {.params = runPath(), .reply = runViewCodec(), .status = 202, .facts = {.etag = true}}, kill);
}

}  // namespace spindle::runs
