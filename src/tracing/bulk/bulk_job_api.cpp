#include "tracing/bulk/bulk_job_api.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/router/paging.h"
#include "http/router/resource.h"
#include "http/router/route_group.h"
#include "json/writer.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"
#include "tracing/bulk/bulk_jobs.h"
#include "tracing/bulk/bulk_selection.h"
#include "tracing/routes/call_query_api.h"

namespace spindle::tracing {
namespace {

using http::Context, http::Parameters;
using schema::Codec, schema::Extra, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

struct BulkPath {
  std::string team;
  std::string project;

  std::string name() const { return team + "/" + project; }
};
struct BulkJobPath : BulkPath {
  std::string job;
};
struct BulkListPath : http::PageQuery, BulkPath {};

struct BulkBody {
  BulkActionKind action = BulkActionKind::kDelete;
  std::optional<json::Text> filter;
  std::optional<json::Text> query;
  std::optional<std::vector<std::string>> call_ids;
  json::Text parameters{"{}"};
  std::optional<std::int64_t> expected_count;
};

struct BulkJobView {
  std::string id;
  BulkActionKind action = BulkActionKind::kDelete;
  std::string state;
  bool cancel_requested = false;
  std::optional<std::int64_t> total;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::optional<std::string> error;
  json::Text parameters{"{}"};
  std::string created_by;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> finished_at;

  explicit BulkJobView(const BulkJob& job)
      : id(job.id),
        action(job.action),
        state(textOf(job.state)),
        cancel_requested(job.cancel_requested),
        total(job.total),
        done(job.done),
        failed(job.failed),
        error(job.error),
        parameters{job.parameters},
        created_by(job.user_id),
        created_at(job.created_at),
        updated_at(job.updated_at),
        finished_at(job.finished_at) {}
  BulkJobView() = default;
};

Codec<BulkActionKind> actionCodec() {
  std::vector<std::pair<std::string, BulkActionKind>> names;
  for (const BulkActionKind kind : {BulkActionKind::kDelete, BulkActionKind::kScore,
                                    BulkActionKind::kAddToQueue, BulkActionKind::kAddToDataset})
    names.emplace_back(textOf(kind), kind);
  return schema::enumeration(names);
}

Codec<BulkBody> bulkBodyCodec() {
  return Record<BulkBody>("NewBulkJob", Extra::kForbid)
      .required("action", &BulkBody::action, actionCodec())
      .optional("filter", &BulkBody::filter, nullable(schema::validatedJson(callFilterCodec())))
      .optional("query", &BulkBody::query, nullable(schema::validatedJson(query::queryCodec())),
                "As in `/calls/query`. `filter` and `query` may be combined.")
      .optional("call_ids", &BulkBody::call_ids,
                nullable(list(string({.min_length = 1, .max_length = 128}),
                              {.min_items = 1, .max_items = kMaxBulkCallIds})),
                "Instead of filter and query. Unknown ids are ignored.")
      .optional("parameters", &BulkBody::parameters, schema::jsonObject(),
                "delete: none. score: scorer_refs. add_to_queue: queue_id, display_fields. "
                "add_to_dataset: dataset (its name) and columns (paths in the call by column name; "
                "default: inputs and output).")
      .optional("expected_count", &BulkBody::expected_count, nullable(integer({.ge = 0})),
                "Do nothing (409) unless the selection has exactly this many calls.")
      .check([](const BulkBody& body) -> std::optional<schema::RuleError> {
        const bool by_query = body.filter || body.query;
        if (by_query != body.call_ids.has_value()) return std::nullopt;
        return schema::valueError("Either call_ids, or filter or query, is required");
      })
      .codec();
}

Codec<BulkJobView> bulkJobCodec() {
  using V = BulkJobView;
  return Record<V>("BulkJob")
      .required("id", &V::id, string())
      .required("action", &V::action, actionCodec())
      .required("state", &V::state,
                schema::literal({"queued", "running", "succeeded", "failed", "cancelled"}))
      .required("cancel_requested", &V::cancel_requested, schema::boolean())
      .required("total", &V::total, nullable(integer()),
                "Number of calls; null until they are selected.")
      .required("done", &V::done, integer(), "Calls that were processed, including failed ones.")
      .required("failed", &V::failed, integer(), "Calls that could not be processed.")
      .required("error", &V::error, nullable(string()), "The reason of a failed job.")
      .required("parameters", &V::parameters, schema::jsonObject())
      .required("created_by", &V::created_by, string(), "Id of the user.")
      .required("created_at", &V::created_at, schema::dateTime())
      .required("updated_at", &V::updated_at, schema::dateTime())
      .required("finished_at", &V::finished_at, nullable(schema::dateTime()))
      .codec();
}

template <class P>
Parameters<P> withProject(Parameters<P> parameters) {
  parameters.path("team", &P::team, string(), "").path("project", &P::project, string(), "");
  return parameters;
}

std::string selectionJson(const BulkBody& body) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  if (body.filter) out.key("filter").raw(body.filter->json);
  if (body.query) out.key("query").raw(body.query->json);
  if (body.call_ids) {
    out.key("call_ids").beginArray();
    for (const std::string& id : *body.call_ids) out.string(id);
    out.endArray();
  }
  out.endObject();
  return text;
}

Result<identity::ProjectAccess> require(const BulkServices& services,
                                        const Context& context,
                                        const BulkPath& path,
                                        identity::Action action) {
  return services.access.requireInProject(context.caller().user_id, path.team, path.project,
                                          action);
}

Result<BulkJobView> createJob(const BulkServices& services,
                              const Context& context,
                              const BulkPath& path,
                              const BulkBody& body) {
  const identity::ProjectAccess project =
      TRY(require(services, context, path, identity::Action::kWriteProject));
  BulkRequest request;
  request.scope = {
      {project.project_id, path.name()}, context.caller().user_id, context.caller().key_id};
  request.team_id = project.team_id;
  request.action = body.action;
  request.selection = selectionJson(body);
  request.parameters = body.parameters.json;
  request.expected_count = body.expected_count;
  const BulkJob job = TRY(services.jobs.create(request));
  return BulkJobView(job);
}

Result<http::PageReply<BulkJobView>> listJobs(const BulkServices& services,
                                              const Context& context,
                                              const BulkListPath& path) {
  const identity::ProjectAccess project =
      TRY(require(services, context, path, identity::Action::kReadProject));
  identity::PageRequest request;
  request.limit = static_cast<int>(path.limit);
  std::string after = TRY(http::decodeCursor(path.cursor));
  request.after = std::move(after);
  const identity::Page<BulkJob> page = TRY(services.jobs.list(project.project_id, request));
  return http::pageReply<BulkJobView>(page, [](const BulkJob& job) { return BulkJobView(job); });
}

Result<BulkJobView> showJob(const BulkServices& services,
                            const Context& context,
                            const BulkJobPath& path) {
  const identity::ProjectAccess project =
      TRY(require(services, context, path, identity::Action::kReadProject));
  const BulkJob job = TRY(services.jobs.find(project.project_id, path.job));
  return BulkJobView(job);
}

Result<BulkJobView> cancelJob(const BulkServices& services,
                              const Context& context,
                              const BulkJobPath& path) {
  const identity::ProjectAccess project =
      TRY(require(services, context, path, identity::Action::kWriteProject));
  const BulkJob job = TRY(services.jobs.cancel(project.project_id, path.job));
  return BulkJobView(job);
}

}  // namespace

void addBulkJobRoutes(BulkRoutes routes) {
  constexpr std::string_view kAll = "/api/v1/projects/{team}/{project}/bulk-jobs";
  constexpr std::string_view kOne = "/api/v1/projects/{team}/{project}/bulk-jobs/{job}";
  routes.setTag("bulk jobs");
  Parameters<BulkJobPath> one = withProject(Parameters<BulkJobPath>());
  one.path("job", &BulkJobPath::job, string(), "Id of the job.");
  routes.post(kAll,
              {"createBulkJob", "Delete, score or collect many calls",
               "The server selects the calls once, when the job starts, and processes them in the "
               "background. Jobs of a team run one after the other; a team has at most 10 "
               "unfinished ones (429)."},
              {.params = withProject(Parameters<BulkPath>()),
               .body = bulkBodyCodec(),
               .reply = bulkJobCodec(),
               .status = 202},
              createJob);
  routes.get(kAll, {"listBulkJobs", "List bulk jobs", "Newest first. Kept for 30 days."},
             {.params = withProject(http::pageParameters<BulkListPath>()),
              .reply = http::pageCodec("BulkJobPage", bulkJobCodec())},
             listJobs);
  routes.get(kOne, {"getBulkJob", "Show a bulk job"}, {.params = one, .reply = bulkJobCodec()},
             showJob);
  routes.post("/api/v1/projects/{team}/{project}/bulk-jobs/{job}/cancel",
              {"cancelBulkJob", "Cancel a bulk job",
               "Calls that were processed stay so. A finished job stays unchanged."},
              {.params = one, .reply = bulkJobCodec()}, cancelJob);
}

}  // namespace spindle::tracing
