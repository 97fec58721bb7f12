#include <algorithm>
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
#include "tracing/metadata/annotation_item_repository.h"
#include "tracing/metadata_routes/annotation_view_api.h"
#include "tracing/metadata_routes/metadata_api.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context, http::Parameters;
using schema::Codec, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

struct ItemPath : QueuePath {
  std::string item_id;
};

struct AddBody {
  std::string project_id;
  std::vector<std::string> call_ids;
  std::vector<std::string> display_fields;
};

struct ItemQueryBody : PageBody {
  std::string project_id;
  std::optional<AnnotationItemFilter> filter;
  bool include_position = false;
};
struct ItemQueryReply {
  std::vector<ItemView> items;
};

struct ProgressBody {
  std::string project_id;
  std::string annotation_state;
};
struct ProgressReply {
  ItemView item;
};

Codec<AddBody> addCodec() {
  return identity::projectRecord<AddBody>("AnnotationItemsAdd")
      .required("call_ids", &AddBody::call_ids,
                schema::describedAs(list(string()), list(string(), {.max_items = 1000})),
                "Unknown ids are ignored.")
      .required("display_fields", &AddBody::display_fields, list(string()),
                "Paths in the calls that annotators see.")
      .codec();
}

Codec<ItemQueryBody> itemQueryCodec() {
  const Codec<std::optional<std::string>> text = nullable(string());
  const Codec<AnnotationItemFilter> filter =
      Record<AnnotationItemFilter>("AnnotationItemsFilter")
          .optional("id", &AnnotationItemFilter::id, text)
          .optional("call_id", &AnnotationItemFilter::call_id, text)
          .optional("call_op_name", &AnnotationItemFilter::call_op_name, text)
          .optional("call_trace_id", &AnnotationItemFilter::call_trace_id, text)
          .optional("added_by", &AnnotationItemFilter::added_by, text)
          .optional("annotation_states", &AnnotationItemFilter::states,
                    nullable(list(annotationStateCodec())), "Items in any of these states.")
          .codec();
  Record<ItemQueryBody> record = identity::projectRecord<ItemQueryBody>("AnnotationItemsQuery");
  record.optional("filter", &ItemQueryBody::filter, nullable(filter))
      .optional("sort_by", &ItemQueryBody::sort_by, nullable(query::sortCodec()),
                "Sort keys. Default: insertion order.");
  return addPage(record)
      .optional("include_position", &ItemQueryBody::include_position, schema::boolean())
      .codec();
}

Result<AddedItems> addItems(const TracingServices& services,
                            const Context& context,
                            const QueuePath& path,
                            const AddBody& body) {
  const ProjectScope project = TRY(writableProject(services, context, body.project_id));
  const std::vector<QueuedCall> calls = TRY(queuedCalls(services.calls, project, body.call_ids));
  return services.queue_items.add(project.id, path.queue_id, calls, body.display_fields,
                                  context.caller().user_id);
}

Result<ItemQueryReply> queryItems(const TracingServices& services,
                                  const Context& context,
                                  const QueuePath& path,
                                  ItemQueryBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const AnnotationPage page = TRY(annotationPageOf(body));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  AnnotationItemFilter filter = std::move(body.filter).value_or(AnnotationItemFilter());
  if (filter.call_op_name) {
    const std::string internal = TRY(objects::internalRef(*filter.call_op_name, *projects));
    filter.call_op_name = std::string(wire::neutralOpName(objects::neutralRef(internal)));
  }
  std::vector<AnnotationItem> items = TRY(
      services.queue_items.list(project.id, path.queue_id, filter, page, body.include_position));
  const AnnotationViewContext reader{project.name, *projects, context.spelling()};
  ItemQueryReply reply;
  for (AnnotationItem& item : items) {
    ItemView view = TRY(viewOf(std::move(item), reader));
    reply.items.push_back(std::move(view));
  }
  return reply;
}

Result<ProgressReply> setProgress(const TracingServices& services,
                                  const Context& context,
                                  const ItemPath& path,
                                  const ProgressBody& body) {
  const ProjectScope project = TRY(writableProject(services, context, body.project_id));
  const std::optional<AnnotationState> state = annotationStateOf(body.annotation_state);
  if (!state || *state == AnnotationState::kUnstarted) {
    return Error::invalidArgument("Invalid annotation_state '" + body.annotation_state +
                                  "'. Must be one of: in_progress, completed, skipped");
  }
  const std::string& caller = context.caller().user_id;
  AnnotationItem item =
      TRY(services.queue_items.setState(project.id, path.queue_id, path.item_id, caller, *state));
  const std::unique_ptr<objects::RefProjects> projects = services.ref_projects(caller);
  ItemView view = TRY(viewOf(std::move(item), {project.name, *projects, context.spelling()}));
  return ProgressReply{std::move(view)};
}

}  // namespace

void addAnnotationItemRoutes(TracingRoutes routes) {
  routes.setTag("annotation queues");
  routes.post("/annotation_queues/{queue_id}/items",
              {"addAnnotationItems", "Add calls to an annotation queue."},
              {.params = queuePath(),
               .body = addCodec(),
               .reply = Record<AddedItems>("AnnotationItemsAdded")
                            .required("added_count", &AddedItems::added, integer())
                            .required("duplicates", &AddedItems::duplicates, integer(),
                                      "Calls that were already in the queue.")
                            .codec()},
              addItems);
  routes.post("/annotation_queues/{queue_id}/items/query",
              {"queryAnnotationItems", "List the items of an annotation queue."},
              {.params = queuePath(),
               .body = itemQueryCodec(),
               .reply = Record<ItemQueryReply>("AnnotationItems")
                            .required("items", &ItemQueryReply::items, list(itemViewCodec()))
                            .codec()},
              queryItems);
  routes.post("/annotation_queues/{queue_id}/items/{item_id}/progress",
              {"setAnnotationProgress", "Set your annotation state of an item."},
              {.params = Parameters<ItemPath>()
                             .path("queue_id", &ItemPath::queue_id, string(), "")
                             .path("item_id", &ItemPath::item_id, string(), ""),
               .body = identity::projectRecord<ProgressBody>("AnnotationProgress")
                           .required("annotation_state", &ProgressBody::annotation_state,
                                     schema::describedAs(
                                         string(),
                                         schema::literal({"in_progress", "completed", "skipped"})),
                                     "in_progress, completed or skipped.")
                           .codec(),
               .reply = Record<ProgressReply>("AnnotationProgressReply")
                            .required("item", &ProgressReply::item, itemViewCodec())
                            .codec()},
              setProgress);
}

}  // namespace spindle::tracing
