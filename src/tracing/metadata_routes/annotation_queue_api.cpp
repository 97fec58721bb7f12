#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/metadata/annotation_queue_repository.h"
#include "tracing/metadata_routes/annotation_view_api.h"
#include "tracing/metadata_routes/metadata_api.h"
#include "tracing/routes/json_lines.h"

namespace spindle::tracing {
namespace {

using http::Context, http::Nothing, http::Parameters, http::Reply;
using schema::Codec, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

struct QueueInProject : QueuePath {
  std::string project_id;
};

struct QueueCreateBody : NewAnnotationQueue {
  std::string project_id;
};
struct QueueCreateReply {
  std::string id;
};

struct QueueQueryBody : PageBody {
  std::string project_id;
  std::optional<std::string> name;
};

struct QueueUpdateBody : AnnotationQueueChange {
  std::string project_id;
};

struct QueueReply {
  QueueView queue;
};

struct QueueStatsBody {
  std::string project_id;
  std::vector<std::string> queue_ids;
};
struct QueueStatsReply {
  std::vector<AnnotationQueueStats> stats;
};

Parameters<QueueInProject> queueInProject() {
  return Parameters<QueueInProject>()
      .path("queue_id", &QueueInProject::queue_id, string(), "")
      .requiredQuery("project_id", &QueueInProject::project_id, identity::projectIdCodec(),
                     "entity/project");
}

Codec<QueueCreateBody> queueCreateCodec() {
  return identity::projectRecord<QueueCreateBody>("AnnotationQueueCreate")
      .required("name", &QueueCreateBody::name, string())
      .optional("description", &QueueCreateBody::description, string())
      .required("scorer_refs", &QueueCreateBody::scorer_refs, list(string()),
                "References of the scorers that annotators fill in for each call.")
      .codec();
}

Codec<QueueQueryBody> queueQueryCodec() {
  Record<QueueQueryBody> record = identity::projectRecord<QueueQueryBody>("AnnotationQueuesQuery");
  record
      .optional("name", &QueueQueryBody::name, nullable(string()), "Part of the name, in any case.")
      .optional("sort_by", &QueueQueryBody::sort_by, nullable(query::sortCodec()),
                "Sort keys. Default: newest first.");
  return addPage(record).codec();
}

Codec<QueueUpdateBody> queueUpdateCodec() {
  return identity::projectRecord<QueueUpdateBody>("AnnotationQueueUpdate")
      .optional("name", &QueueUpdateBody::name, nullable(string()), "Null: unchanged.")
      .optional("description", &QueueUpdateBody::description, nullable(string()),
                "Null: unchanged.")
      .optional("scorer_refs", &QueueUpdateBody::scorer_refs, nullable(list(string())),
                "Null: unchanged.")
      .codec();
}

Codec<QueueReply> queueReplyCodec() {
  return Record<QueueReply>("AnnotationQueueReply")
      .required("queue", &QueueReply::queue, queueViewCodec())
      .codec();
}

Codec<QueueStatsReply> queueStatsReplyCodec() {
  const Codec<AnnotationQueueStats> stats =
      Record<AnnotationQueueStats>("AnnotationQueueStats")
          .required("queue_id", &AnnotationQueueStats::queue_id, string())
          .required("total_items", &AnnotationQueueStats::total_items, integer())
          .required("completed_items", &AnnotationQueueStats::completed_items, integer(),
                    "Items that at least one annotator completed or skipped.")
          .codec();
  return Record<QueueStatsReply>("AnnotationQueuesStats")
      .required("stats", &QueueStatsReply::stats, list(stats), "In the order of the request.")
      .codec();
}

Result<void> makeRefsInternal(std::vector<std::string>& refs, objects::RefProjects& projects) {
  for (std::string& ref : refs) {
    std::string internal = TRY(objects::internalRef(ref, projects));
    ref = std::move(internal);
  }
  return {};
}

Result<QueueCreateReply> createQueue(const TracingServices& services,
                                     const Context& context,
                                     QueueCreateBody body) {
  const ProjectScope project = TRY(writableProject(services, context, body.project_id));
  body.created_by = context.caller().user_id;
  TRY(makeRefsInternal(body.scorer_refs, *services.ref_projects(body.created_by)));
  const AnnotationQueue queue = TRY(services.queues.insert(project.id, body));
  return QueueCreateReply{queue.id};
}

Result<Reply<Nothing>> queryQueues(const TracingServices& services,
                                   const Context& context,
                                   const QueueQueryBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const AnnotationPage page = TRY(annotationPageOf(body));
  const std::vector<AnnotationQueue> queues =
      TRY(services.queues.list(project.id, body.name.value_or(""), page));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  const AnnotationViewContext reader{project.name, *projects, context.spelling()};
  const Codec<QueueView> codec = queueViewCodec();
  std::vector<std::string> lines;
  for (const AnnotationQueue& queue : queues) {
    const QueueView view = TRY(viewOf(queue, reader));
    lines.push_back(codec.toJson(view, context.spelling()));
  }
  std::shared_ptr<http::BodyStream> stream =
      TRY(jsonLinesBody([lines = std::move(lines)]() mutable -> Result<std::vector<std::string>> {
        return std::exchange(lines, {});
      }));
  Reply<Nothing> reply{Nothing{}};
  reply.stream = std::move(stream);
  return reply;
}

Result<QueueReply> showQueue(const TracingServices& services,
                             const Context& context,
                             const ProjectScope& project,
                             Result<AnnotationQueue> queue) {
  if (!queue) return std::move(queue).error();
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  QueueView view = TRY(viewOf(*std::move(queue), {project.name, *projects, context.spelling()}));
  return QueueReply{std::move(view)};
}

Result<QueueReply> readQueue(const TracingServices& services,
                             const Context& context,
                             const QueueInProject& place) {
  const ProjectScope project = TRY(readableProject(services, context, place.project_id));
  return showQueue(services, context, project, services.queues.find(project.id, place.queue_id));
}

Result<QueueReply> deleteQueue(const TracingServices& services,
                               const Context& context,
                               const QueueInProject& place) {
  const ProjectScope project = TRY(writableProject(services, context, place.project_id));
  return showQueue(services, context, project, services.queues.remove(project.id, place.queue_id));
}

Result<QueueReply> updateQueue(const TracingServices& services,
                               const Context& context,
                               const QueuePath& path,
                               QueueUpdateBody body) {
  const ProjectScope project = TRY(writableProject(services, context, body.project_id));
  if (body.scorer_refs) {
    TRY(makeRefsInternal(*body.scorer_refs, *services.ref_projects(context.caller().user_id)));
  }
  return showQueue(services, context, project,
                   services.queues.update(project.id, path.queue_id, body));
}

Result<QueueStatsReply> queueStats(const TracingServices& services,
                                   const Context& context,
                                   const QueueStatsBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  std::vector<AnnotationQueueStats> stats = TRY(services.queues.stats(project.id, body.queue_ids));
  return QueueStatsReply{std::move(stats)};
}

}  // namespace

void addAnnotationQueueRoutes(TracingRoutes routes) {
  routes.setTag("annotation queues");
  routes.post("/annotation_queues", {"createAnnotationQueue", "Create an annotation queue."},
              {.body = queueCreateCodec(),
               .reply = Record<QueueCreateReply>("AnnotationQueueCreated")
                            .required("id", &QueueCreateReply::id, string())
                            .codec()},
              createQueue);
  http::replyWithLines(
      routes.post("/annotation_queues/query",
                  {"queryAnnotationQueues", "List annotation queues as JSON Lines."},
                  {.body = queueQueryCodec()}, queryQueues),
      queueViewCodec().type());
  routes.post("/annotation_queues/stats",
              {"annotationQueueStats", "Get the progress of annotation queues."},
              {.body = identity::projectRecord<QueueStatsBody>("AnnotationQueuesStatsRequest")
                           .required("queue_ids", &QueueStatsBody::queue_ids, list(string()))
                           .codec(),
               .reply = queueStatsReplyCodec()},
              queueStats);
  routes.get("/annotation_queues/{queue_id}", {"readAnnotationQueue", "Get an annotation queue."},
             {.params = queueInProject(), .reply = queueReplyCodec()}, readQueue);
  routes.remove("/annotation_queues/{queue_id}",
                {"deleteAnnotationQueue", "Delete an annotation queue; its items remain."},
                {.params = queueInProject(), .reply = queueReplyCodec()}, deleteQueue);
  routes.put(
      "/annotation_queues/{queue_id}", {"updateAnnotationQueue", "Update an annotation queue."},
      {.params = queuePath(), .body = queueUpdateCodec(), .reply = queueReplyCodec()}, updateQueue);
}

}  // namespace spindle::tracing
