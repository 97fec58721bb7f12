#include <utility>

#include "http/router/etag.h"
#include "http/router/route_group.h"
#include "identity/api/user_view.h"
#include "registry/routes/artifact_view.h"
#include "runs/history_repository.h"
#include "runs/run_name.h"
#include "runs/run_repository.h"
#include "runs/run_view.h"
#include "schema/validated_json.h"

namespace spindle::runs {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::ifPresent, schema::literal, schema::nullable, schema::string;

constexpr std::size_t kMaxName = 255;
constexpr std::size_t kMaxTag = 128;
constexpr std::size_t kMaxTags = 100;

struct MetricRule {
  std::string summary = "last";
  std::string objective = "minimize";
};

/// The members of NewRun, and those that a client sends in another form.
struct NewRunBody : NewRun {
  std::optional<json::Text> config_object;
  std::optional<json::Text> metrics;
  std::string state = "running";
  std::optional<std::string> resume_word;
};

/// The members of RunChange, and those that a client sends in another form.
struct ChangeBody : RunChange {
  std::optional<json::Text> config_object;
  std::optional<json::Text> metrics;
  std::optional<json::Text> summary_object;
};

struct StartedReply {
  RunView run;
  std::int64_t next_step = 0;
  std::int64_t history_line_count = 0;
};

struct ListPath : RunsPath, http::PageQuery, RunFilter {};

schema::Codec<json::Text> rulesCodec() {
  return schema::validatedJson(schema::map(
      schema::Record<MetricRule>("RunMetric", Extra::kForbid)
          .optional("summary", &MetricRule::summary,
                    literal({"last", "min", "max", "mean", "best", "none"}),
                    "Value of the metric in the summary.")
          .optional("objective", &MetricRule::objective, literal({"minimize", "maximize"}),
                    "Whether `best` is the minimum or the maximum.")
          .codec()));
}

schema::Codec<std::vector<std::string>> tagsCodec() {
  return schema::list(string({.min_length = 1, .max_length = kMaxTag}), {.max_items = kMaxTags});
}

schema::Codec<std::string> nameCodec() { return string({.min_length = 1, .max_length = kMaxName}); }

schema::Codec<NewRunBody> newRunCodec() {
  return schema::Record<NewRunBody>("NewRun", Extra::kForbid)
      .optional(
          "run_id", &NewRunBody::run_id,
          nullable(string({.min_length = 1, .max_length = kMaxRunId, .pattern = kRunIdPattern})),
          "Unique in the project. Default: a random id.")
      .optional("name", &NewRunBody::name, nullable(nameCodec()),
                "Display name. Default: a random name.")
      .optional("config", &NewRunBody::config_object, nullable(schema::jsonObject()),
                "Configuration of the run, such as hyperparameters.")
      .optional("metrics", &NewRunBody::metrics, nullable(rulesCodec()),
                "Summary rules by metric key. Default: the last value.")
      .optional("tags", &NewRunBody::tags, nullable(tagsCodec()))
      .optional("notes", &NewRunBody::notes, nullable(string()))
      .optional("group", &NewRunBody::group, nullable(nameCodec()), "Group of related runs.")
      .optional("job_type", &NewRunBody::job_type, nullable(nameCodec()), "`train`, `eval`, …")
      .optional("state", &NewRunBody::state, literal({"running", "pending"}),
                "A pending run starts with its first heartbeat.")
      .optional(
          "resume", &NewRunBody::resume_word, nullable(literal({"must", "allow", "never", "auto"})),
          "How to treat an existing run with this id. `must`: the run must exist. `allow` and "
          "`auto`: resume the run if it exists. `never`: the run must not exist.")
      .codec();
}

schema::Codec<ChangeBody> changeCodec() {
  return schema::Record<ChangeBody>("RunChange", Extra::kForbid)
      .optional("name", &ChangeBody::name, ifPresent(nameCodec()))
      .optional("config", &ChangeBody::config_object, ifPresent(schema::jsonObject()),
                "Replaces the old config.")
      .optional("metrics", &ChangeBody::metrics, ifPresent(rulesCodec()),
                "Replaces the old rules; applies from the next row on.")
      .optional("summary", &ChangeBody::summary_object, ifPresent(schema::jsonObject()),
                "Replaces the old summary; later rows update it.")
      .optional("tags", &ChangeBody::tags, ifPresent(tagsCodec()), "Replaces the old tags.")
      .optional("notes", &ChangeBody::notes, ifPresent(nullable(string())))
      .optional("group", &ChangeBody::group, ifPresent(nullable(nameCodec())))
      .optional("job_type", &ChangeBody::job_type, ifPresent(nullable(nameCodec())))
      .codec();
}

schema::Codec<StartedReply> startedCodec() {
  return schema::Record<StartedReply>("RunStarted")
      .required("run", &StartedReply::run, runViewCodec())
      .required("next_step", &StartedReply::next_step, schema::integer(),
                "Step of the next row without a step.")
      .required("history_line_count", &StartedReply::history_line_count, schema::integer(),
                "The `offset` of the next row.")
      .codec();
}

std::optional<std::string> jsonTextOf(std::optional<json::Text> json) {
  return json ? std::optional(std::move(json->json)) : std::nullopt;
}

Resume resumeOf(const std::optional<std::string>& word) {
  if (!word) return Resume::kUnspecified;
  if (*word == "must") return Resume::kMust;
  return *word == "never" ? Resume::kNever : Resume::kAllow;
}

NewRun newRunOf(NewRunBody body) {
  NewRun fresh = std::move(static_cast<NewRun&>(body));
  fresh.config = jsonTextOf(std::move(body.config_object));
  fresh.metric_rules = jsonTextOf(std::move(body.metrics));
  fresh.pending = body.state == "pending";
  fresh.resume = resumeOf(body.resume_word);
  return fresh;
}

Result<Reply<StartedReply>> start(const RunServices& services,
                                  const Context& context,
                                  const RunsPath& path,
                                  NewRunBody body) {
  const registry::Place place = TRY(authorizeWriteOrCreate(services, context, path));
  const RunRepository::Started started =
      TRY(services.runs.start(place, registry::callerOf(context), newRunOf(std::move(body))));
  StartedReply shown;
  shown.run = RunView(started.run, path);
  shown.next_step = started.run.nextStep();
  shown.history_line_count = started.run.history_line_count;
  Reply reply(std::move(shown));
  reply.with("ETag", http::etagOf(started.run.revision));
  if (!started.created) reply.status = 200;
  return reply;
}

Result<http::PageReply<RunView>> listRuns(const RunServices& services,
                                          const Context& context,
                                          const ListPath& path) {
  const std::string project = TRY(readableProject(services, context, path));
  const identity::PageRequest request = TRY(registry::numericPageRequest(path));
  const identity::Page<Run> page = TRY(services.runs.list(project, path, request));
  return identity::pageReply<RunView>(page, [&path](const Run& run) { return RunView(run, path); });
}

Result<Reply<RunView>> show(const RunServices& services,
                            const Context& context,
                            const RunPath& path) {
  const std::string project = TRY(readableProject(services, context, path));
  const Run run = TRY(services.runs.find({project, path.run}));
  return replyOf(run, path);
}

Result<Reply<RunView>> change(const RunServices& services,
                              const Context& context,
                              const RunPath& path,
                              ChangeBody body) {
  const registry::Place place =
      TRY(authorize(services, context, path, identity::Action::kWriteProject));
  const std::optional<std::int64_t> revision = TRY(http::expectedVersion(context.request.headers));
  RunChange wanted = std::move(static_cast<RunChange&>(body));
  wanted.config = jsonTextOf(std::move(body.config_object));
  wanted.metric_rules = jsonTextOf(std::move(body.metrics));
  wanted.summary = jsonTextOf(std::move(body.summary_object));
  const Run changed = TRY(services.runs.update({place.project_id, path.run}, wanted, revision));
  return replyOf(changed, path);
}

Result<void> remove(const RunServices& services, const Context& context, const RunPath& path) {
  const registry::Place place = TRY(authorizeRunEnd(services, context, path));
  const std::optional<std::int64_t> revision = TRY(http::expectedVersion(context.request.headers));
  TRY(services.runs.remove({place.project_id, path.run}, revision));
  // The run is deleted. If this fails, the maintenance task deletes its blocks later.
  static_cast<void>(services.history.deleteOrphanedHistory());
  return {};
}

}  // namespace

void addRunRoutes(RunRoutes routes) {
  constexpr std::string_view kAll = "/api/v1/projects/{team}/{project}/runs";
  constexpr std::string_view kOne = "/api/v1/projects/{team}/{project}/runs/{run}";
  http::Parameters<RunsPath> runs_path;
  makeBodyOptional(routes.post(
      kAll,
      {"startRun", "Start or resume a run", "Returns 201 for a new run and 200 for a resumed run."},
      {.params = addProjectPath(runs_path),
       .body = newRunCodec(),
       .reply = startedCodec(),
       .status = 201,
       .facts = {.statuses = {200}, .etag = true}},
      start));
  http::Parameters<ListPath> list_path = http::pageParameters<ListPath>();
  addProjectPath(list_path)
      .query("state", &ListPath::state, nullable(string()), "Only runs in this state.")
      .query("group", &ListPath::group, nullable(string()), "Only runs of this group.")
      .query("job_type", &ListPath::job_type, nullable(string()), "Only runs with this job type.")
      .query("tag", &ListPath::tag, nullable(string()), "Only runs with this tag.")
      .query("user", &ListPath::user, nullable(string()), "Only runs of this user.");
  routes.get(kAll, {"listRuns", "List runs", "Newest first."},
             {.params = list_path, .reply = http::pageCodec("RunPage", runViewCodec())}, listRuns);
  routes.get(kOne, {"getRun", "Show a run"},
             {.params = runPath(), .reply = runViewCodec(), .facts = {.etag = true}}, show);
  routes.patch(kOne, {"changeRun", "Change the metadata of a run"},
               {.params = runPath(),
                .body = changeCodec(),
                .reply = runViewCodec(),
                .facts = {.etag = true, .if_match = true}},
               change);
  routes.remove(kOne,
                {"deleteRun", "Remove a run and its history",
                 "Members can remove their own runs, admins all runs."},
                {.params = runPath(), .facts = {.if_match = true}}, remove);
}

}  // namespace spindle::runs
