#include "training/api/trajectory_export_api.h"

#include <utility>
#include <variant>

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/project_id_codec.h"
#include "identity/types/names.h"
#include "query/codec.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/version_repository.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "tracing/routes/call_query_api.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/api/trajectory_preview_view.h"
#include "training/data/op_filters.h"
#include "training/data/trajectory_export.h"

namespace spindle::training {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::nullable, schema::Record, schema::string;

constexpr std::int64_t kMostCalls = 1'000'000;

struct RewardBody {
  std::string feedback_type;
  std::string path;
};
struct ExportBody {
  std::string project;
  std::optional<std::string> name;
  std::string format = "sft";
  std::string source = "calls";
  std::optional<std::string> unit;
  std::optional<tracing::CallFilter> filter;
  std::optional<query::Query> query;
  std::optional<RewardBody> reward;
  std::optional<double> min_reward;
  std::string group_by = "input";
  std::int64_t limit = 10'000;
  bool dry_run = false;
};
struct ExportView : Exported {
  std::string artifact;
  std::string version_name;
};

/// Checks members that require or exclude others.
std::optional<schema::RuleError> checkExport(const ExportBody& body) {
  if (!body.name && !body.dry_run) return schema::valueError("name is required unless dry_run");
  if (body.min_reward && !body.reward) {
    return schema::valueError("min_reward needs reward");
  }
  if (body.source == "calls") return std::nullopt;
  if (body.filter) return schema::valueError("filter is for calls only; select agents with query");
  if (body.unit == "call")
    return schema::valueError("source agents exports whole traces: unit must be trace");
  return std::nullopt;
}

schema::Codec<ExportBody> bodyCodec() {
  const schema::Codec<RewardBody> reward =
      Record<RewardBody>("TrajectoryReward", Extra::kForbid)
          .optional(
              "feedback_type", &RewardBody::feedback_type, string(),
              "Type of the feedback that contains the reward; the newest feedback counts. Empty: "
              "the reward is in the call itself, or in a span of the trace.")
          .required(
              "path", &RewardBody::path, string({.min_length = 1}),
              "Path in the payload of the feedback (`output.score`), in the call "
              "(`output.score`, `summary.x`, `attributes.x`) or in spans "
              "(`attributes.x`). The value is a number, a boolean, or a list with one per "
              "choice of the completion. `scorer_ratings.x` and `scorer_tags.x` are results of "
              "the feedback's scorer.")
          .codec();
  return schema::described(
      Record<ExportBody>("TrajectoryExport", Extra::kForbid)
          .required("project", &ExportBody::project, identity::projectIdCodec(), "`team/project`")
          .optional("name", &ExportBody::name,
                    schema::ifPresent(string({.min_length = 1,
                                              .max_length = registry::kMaxName,
                                              .pattern = registry::kAliasPattern})),
                    "Name of the artifact, in the same project. Required unless `dry_run`.")
          .optional(
              "format", &ExportBody::format, schema::literal({"sft", "rl"}),
              "`sft`: one line per example, from the first choice. `rl`: one line per group; each "
              "choice is a trajectory.")
          .optional(
              "source", &ExportBody::source, schema::literal({"calls", "agents"}),
              "`calls`: traced calls. `agents`: traces with a matching agent span, each as one "
              "conversation.")
          .optional("unit", &ExportBody::unit, nullable(schema::literal({"call", "trace"})),
                    "`call`: the answer of each matching call; the default for calls. `trace`: the "
                    "last answer in the trace of each matching call, once per trace.")
          .optional(
              "filter", &ExportBody::filter, nullable(tracing::callFilterCodec()),
              "Filter of calls. A plain name in op_names also matches every version of that op in "
              "the project.")
          .optional("query", &ExportBody::query, nullable(query::queryCodec()),
                    "Query for calls, or for spans if `source` is `agents`.")
          .optional("reward", &ExportBody::reward, nullable(reward),
                    "Location of the reward. Calls without a reward are skipped.")
          .optional("min_reward", &ExportBody::min_reward, nullable(schema::number()),
                    "Calls with a smaller reward are skipped.")
          .optional(
              "group_by", &ExportBody::group_by, schema::literal({"input", "trace", "thread"}),
              "Trajectories with the same value form a group. `input`: the prompt before the model "
              "started to answer and to use tools.")
          .optional("limit", &ExportBody::limit, schema::integer({.ge = 1, .le = kMostCalls}),
                    "Maximum number of calls or traces to read, oldest first.")
          .optional("dry_run", &ExportBody::dry_run, schema::boolean(),
                    "Return a preview of the export and create nothing.")
          .check(checkExport)
          .codec(),
      R"({"allOf":[{"anyOf":[{"required":["name"]},)"
      R"({"properties":{"dry_run":{"const":true}},"required":["dry_run"]}]},{"anyOf":[{"properties":{"source":{"const":"calls"}}},)"
      R"({"properties":{"filter":{"type":"null"},"unit":{"enum":["trace",null]}}}]},)"
      R"({"anyOf":[{"properties":{"min_reward":{"type":"null"}}},)"
      R"({"properties":{"reward":{"not":{"type":"null"}}},"required":["reward"]}]}]})");
}

schema::Codec<ExportView> viewCodec() {
  return Record<ExportView>("TrajectoryExported")
      .required("artifact", &ExportView::artifact, string(),
                "Path of the artifact. Use one with examples as `training_data_url`; send lines of "
                "groups as `trajectory_groups`.")
      .required("version", &ExportView::version_name, string())
      .required("num_calls", &ExportView::seen, schema::integer(),
                "Number of calls or agent traces read.")
      .required("num_trajectories", &ExportView::trajectories, schema::integer())
      .required("num_lines", &ExportView::lines, schema::integer(), "Number of examples or groups.")
      .codec();
}

GroupKey groupKeyOf(const std::string& word) {
  if (word == "trace") return GroupKey::kTrace;
  return word == "thread" ? GroupKey::kThread : GroupKey::kInput;
}

/// Returns an existing project that the caller may read and write. Creates no project, because the
/// name may be mistyped.
Result<identity::ProjectAccess> exportProject(identity::Access& access,
                                              const Context& context,
                                              std::string_view project) {
  const identity::ProjectName name = TRY(identity::splitProjectName(project));
  const std::string& user = context.caller().user_id;
  const identity::ProjectAccess reads = TRY(access.readProject(user, name.entity, name.project));
  if (!reads.exists()) {
    return Error::invalidArgument("There is no project " + std::string(project) +
                                  " yet: nothing was traced into it");
  }
  return access.requireInProject(user, name.entity, name.project, identity::Action::kWriteProject);
}

Result<tracing::CallQuery> callsOf(ExportBody& body,
                                   const tracing::ProjectScope& project,
                                   objects::RefProjects& projects) {
  Result<tracing::CallQuery> selection =
      tracing::callQueryOf(std::move(body.filter), std::move(body.query), {}, project, projects);
  if (selection && selection->filter.op_names) {
    selection->filter.op_names = opFiltersFor(*selection->filter.op_names, project.id);
  }
  return selection;
}

/// Converts the request to options, except for references to the project.
Result<TrajectoryExportOptions> optionsOf(ExportBody& body,
                                          const tracing::ProjectScope& project,
                                          objects::RefProjects& projects) {
  TrajectoryExportOptions options;
  options.from_agents = body.source == "agents";
  if (options.from_agents) {
    options.agents = std::move(body.query);
  } else {
    tracing::CallQuery selection = TRY(callsOf(body, project, projects));
    options.selection = std::move(selection);
  }
  options.limit = body.limit;
  options.groups = body.format == "rl";
  options.traces = body.unit == "trace";
  if (body.reward) options.reward = RewardSource{body.reward->feedback_type, body.reward->path};
  options.min_reward = body.min_reward;
  options.group_by = groupKeyOf(body.group_by);
  options.name = body.name.value_or("");
  return options;
}

TrajectoryExport exportOf(const ExportServices& services,
                          const tracing::ProjectScope& project,
                          objects::RefProjects& projects) {
  return {
      {services.tracing.calls, services.agents, services.files,
       ArtifactWriter(services.registry.versions, services.registry.blobs, services.tracing.clock),
       [&services, &project](const std::vector<std::string>& ids) {
         return services.tracing.feedback(project, ids, wire::Spelling::kNeutral);
       },
       projects},
      project};
}

Result<ExportView> runExport(const ExportServices& services,
                             const Context& context,
                             ExportBody body) {
  const identity::ProjectAccess access =
      TRY(exportProject(services.tracing.access, context, body.project));
  const std::size_t slash = body.project.find('/');
  const tracing::ProjectScope project{access.project_id, body.project};
  registry::Place place;
  place.entity = body.project.substr(0, slash);
  place.project = body.project.substr(slash + 1);
  place.team_id = access.team_id;
  place.project_id = access.project_id;
  const std::unique_ptr<objects::RefProjects> projects =
      services.tracing.ref_projects(context.caller().user_id);
  const TrajectoryExportOptions options = TRY(optionsOf(body, project, *projects));
  Exported exported =
      TRY(exportOf(services, project, *projects)
              .run(place, {context.caller().user_id, context.caller().username}, options));
  ExportView view{std::move(exported), {}, {}};
  view.version_name = "v" + std::to_string(view.version.index.value_or(0));
  view.artifact = "svc-artifact:///" + body.project + "/" + options.name + ":" + view.version_name;
  return view;
}

Result<PreviewView> runPreview(const ExportServices& services,
                               const Context& context,
                               ExportBody body) {
  const identity::ProjectAccess access =
      TRY(services.tracing.access.readProject(context.caller().user_id, body.project));
  const tracing::ProjectScope project{access.project_id, body.project};
  const std::unique_ptr<objects::RefProjects> projects =
      services.tracing.ref_projects(context.caller().user_id);
  TrajectoryExportOptions options = TRY(optionsOf(body, project, *projects));
  const bool groups = options.groups;
  const ExportPreview preview =
      TRY(exportOf(services, project, *projects).preview(std::move(options), PreviewLimits()));
  return PreviewView(preview, groups);
}

using ExportReply = std::variant<ExportView, PreviewView>;

Result<Reply<ExportReply>> exportTrajectories(const ExportServices& services,
                                              const Context& context,
                                              ExportBody body) {
  if (body.dry_run) {
    PreviewView preview = TRY(runPreview(services, context, std::move(body)));
    Reply<ExportReply> reply{ExportReply(std::move(preview))};
    reply.status = 200;
    return reply;
  }
  ExportView exported = TRY(runExport(services, context, std::move(body)));
  return Reply<ExportReply>{ExportReply(std::move(exported))};
}

}  // namespace

void addTrajectoryRoutes(ExportRoutes routes) {
  routes.setTag(kTrainingTag);
  routes.post(
      "/api/v1/trajectories",
      {"exportTrajectories", "Export traced calls or agent traces as training data",
       "Creates an artifact of type `dataset` with `trajectories.jsonl` and `metadata.json`. With "
       "`dry_run`, returns a TrajectoryPreview with 200; read access is enough."},
      {.body = bodyCodec(),
       .reply = schema::anyOf(schema::Alternative<ExportView>{"exported", viewCodec()},
                              schema::Alternative<PreviewView>{"preview", previewCodec()}),
       .status = 201,
       .facts = {.statuses = {200}}},
      exportTrajectories);
}

}  // namespace spindle::training
