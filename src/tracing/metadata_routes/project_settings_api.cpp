#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/metadata/retention_repository.h"
#include "tracing/metadata_routes/metadata_api.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::boolean, schema::Codec, schema::integer, schema::nullable, schema::Record,
    schema::string;

struct ProjectStatsBody {
  std::string project_id;
  std::optional<bool> traces = true;
  std::optional<bool> objects = true;
  std::optional<bool> tables = true;
  std::optional<bool> files = true;
};

struct ProjectStatsReply {
  std::int64_t traces = 0;
  std::int64_t objects = 0;
  std::int64_t tables = 0;
  std::int64_t files = 0;
};

struct ReadRetentionBody {
  std::string project_id;
};

struct UpdateRetentionBody {
  std::string project_id;
  std::optional<std::int64_t> retention_days;
};

struct RetentionReply {
  std::optional<std::int64_t> retention_days;
};

Codec<ProjectStatsBody> projectStatsCodec() {
  const Codec<std::optional<bool>> flag = nullable(boolean());
  const Codec<ProjectStatsBody> codec =
      identity::projectRecord<ProjectStatsBody>("ProjectStatsRequest")
          .optional("include_trace_storage_size", &ProjectStatsBody::traces, flag)
          .optional("include_object_storage_size", &ProjectStatsBody::objects, flag)
          .optional("include_table_storage_size", &ProjectStatsBody::tables, flag)
          .optional("include_file_storage_size", &ProjectStatsBody::files, flag)
          .codec();
  // projectStats() rejects a body that requests nothing with 400.
  return schema::described(codec, R"({"not":{"properties":{)"
                                  R"("include_trace_storage_size":{"const":false},)"
                                  R"("include_object_storage_size":{"const":false},)"
                                  R"("include_table_storage_size":{"const":false},)"
                                  R"("include_file_storage_size":{"const":false}},"required":[)"
                                  R"("include_trace_storage_size","include_object_storage_size",)"
                                  R"("include_table_storage_size","include_file_storage_size"]}})");
}

Codec<ProjectStatsReply> projectStatsReplyCodec() {
  return Record<ProjectStatsReply>("ProjectStats")
      .required("trace_storage_size_bytes", &ProjectStatsReply::traces, integer(),
                "0 unless requested.")
      .required("objects_storage_size_bytes", &ProjectStatsReply::objects, integer())
      .required("tables_storage_size_bytes", &ProjectStatsReply::tables, integer())
      .required("files_storage_size_bytes", &ProjectStatsReply::files, integer())
      .codec();
}

Codec<RetentionReply> retentionReplyCodec() {
  return Record<RetentionReply>("RetentionSettings")
      .required("retention_days", &RetentionReply::retention_days, nullable(integer()),
                "Null: unlimited.")
      .codec();
}

Result<std::int64_t> traceBytes(const TracingServices& services, const ProjectScope& project) {
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  return view->totalBytes();
}

Result<ProjectStatsReply> projectStats(const TracingServices& services,
                                       const Context& context,
                                       const ProjectStatsBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const bool traces = body.traces.value_or(true);
  const bool objects = body.objects.value_or(true);
  const bool tables = body.tables.value_or(true);
  const bool files = body.files.value_or(true);
  if (!traces && !objects && !tables && !files)
    return Error::invalidArgument("At least one of the storage sizes must be included");
  ProjectStatsReply reply;
  if (project.id.empty()) return reply;
  const auto fill = [](std::int64_t& place, Result<std::int64_t> bytes) -> Result<void> {
    if (!bytes) return std::move(bytes).error();
    place = *bytes;
    return {};
  };
  Result<void> done;
  if (traces) done = fill(reply.traces, traceBytes(services, project));
  if (done && objects) done = fill(reply.objects, services.sizes.objects(project.id));
  if (done && tables) done = fill(reply.tables, services.sizes.tables(project.id));
  if (done && files) done = fill(reply.files, services.sizes.files(project.id));
  if (!done) return std::move(done).error();
  return reply;
}

Result<RetentionReply> readRetention(const TracingServices& services,
                                     const Context& context,
                                     const ReadRetentionBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  if (project.id.empty()) return RetentionReply();
  const std::optional<std::int64_t> days = TRY(services.retention.days(project.id));
  return RetentionReply{days};
}

Result<RetentionReply> updateRetention(const TracingServices& services,
                                       const Context& context,
                                       const UpdateRetentionBody& body) {
  const ProjectScope project = TRY(writableProject(services, context, body.project_id));
  TRY(services.retention.setDays(project.id, body.retention_days));
  return RetentionReply{body.retention_days};
}

}  // namespace

void addProjectSettingsRoutes(TracingRoutes routes) {
  routes.setTag("projects");
  routes.post("/project/stats", {"projectStats", "Get the storage sizes of a project."},
              {.body = projectStatsCodec(), .reply = projectStatsReplyCodec()}, projectStats);
  routes.post("/project/ttl_settings/read",
              {"readRetention", "Get the retention of calls in a project."},
              {.body = identity::projectRecord<ReadRetentionBody>("RetentionRead").codec(),
               .reply = retentionReplyCodec()},
              readRetention);
  routes.post("/project/ttl_settings/update",
              {"updateRetention", "Set the retention of calls in a project.",
               "Applies to calls that are written after the change."},
              {.body = identity::projectRecord<UpdateRetentionBody>("RetentionUpdate")
                           .optional("retention_days", &UpdateRetentionBody::retention_days,
                                     nullable(schema::describedAs(integer(), integer({.ge = 1}))),
                                     "At least 1. Null: unlimited.")
                           .codec(),
               .reply = retentionReplyCodec()},
              updateRetention);
}

}  // namespace spindle::tracing
