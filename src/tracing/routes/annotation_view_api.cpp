#include "tracing/routes/annotation_view_api.h"

#include <utility>

#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::tracing {

using schema::dateTime, schema::list, schema::nullable, schema::Record, schema::string;

http::Parameters<QueuePath> queuePath() {
  return http::Parameters<QueuePath>().path("queue_id", &QueuePath::queue_id, string(), "");
}

schema::Codec<QueueView> queueViewCodec() {
  return Record<QueueView>("AnnotationQueue")
      .required("id", &QueueView::id, string(), "")
      .required("project_id", &QueueView::project_id, string(), "entity/project")
      .required("name", &QueueView::name, string(), "")
      .required("description", &QueueView::description, string(), "")
      .required("scorer_refs", &QueueView::scorer_refs, list(string()),
                "References of the scorers that annotators fill in for each call.")
      .required("created_at", &QueueView::created_at, dateTime(), "")
      .required("created_by", &QueueView::created_by, string(), "")
      .required("updated_at", &QueueView::updated_at, dateTime(), "")
      .required("deleted_at", &QueueView::deleted_at, nullable(dateTime()), "")
      .codec();
}

schema::Codec<AnnotationState> annotationStateCodec() {
  std::vector<std::pair<std::string, AnnotationState>> names;
  for (const AnnotationState state : {AnnotationState::kUnstarted, AnnotationState::kInProgress,
                                      AnnotationState::kCompleted, AnnotationState::kSkipped})
    names.emplace_back(textOf(state), state);
  return schema::enumeration(names);
}

schema::Codec<ItemView> itemViewCodec() {
  return Record<ItemView>("AnnotationQueueItem")
      .required("id", &ItemView::id, string(), "")
      .required("project_id", &ItemView::project_id, string(), "entity/project")
      .required("queue_id", &ItemView::queue_id, string(), "")
      .required("call_id", &ItemView::call_id, string(), "")
      .required("call_started_at", &ItemView::call_started_at, dateTime(), "")
      .required("call_ended_at", &ItemView::call_ended_at, nullable(dateTime()),
                "Value when the call was added.")
      .required("call_op_name", &ItemView::call_op_name, string(), "")
      .required("call_trace_id", &ItemView::call_trace_id, string(), "")
      .required("display_fields", &ItemView::display_fields, list(string()),
                "Paths in the call that annotators see.")
      .required("added_by", &ItemView::added_by, nullable(string()), "")
      .required("annotation_state", &ItemView::annotation_state, annotationStateCodec(),
                "Newest state of any annotator.")
      .required("annotator_user_id", &ItemView::annotator_user_id, nullable(string()),
                "The annotator of that state.")
      .required("created_at", &ItemView::created_at, dateTime(), "")
      .required("created_by", &ItemView::created_by, string(), "")
      .required("updated_at", &ItemView::updated_at, dateTime(), "")
      .required("deleted_at", &ItemView::deleted_at, nullable(dateTime()), "Always null.")
      .required("position_in_queue", &ItemView::position_in_queue, nullable(schema::integer()),
                "Starts at 1. Only with include_position.")
      .codec();
}

Result<QueueView> viewOf(AnnotationQueue queue, const AnnotationViewContext& reader) {
  QueueView view{std::move(queue), std::string(reader.project)};
  for (std::string& ref : view.scorer_refs) {
    std::string shown = TRY(objects::externalRef(ref, reader.projects, reader.spelling));
    ref = std::move(shown);
  }
  return view;
}

Result<ItemView> viewOf(AnnotationItem item, const AnnotationViewContext& reader) {
  std::string op_name =
      TRY(objects::externalRef(item.call.op_name, reader.projects, reader.spelling));
  ItemView view;
  view.id = std::move(item.id);
  view.project_id = std::string(reader.project);
  view.queue_id = std::move(item.queue_id);
  view.call_id = std::move(item.call.id);
  view.call_started_at = item.call.started_at;
  view.call_ended_at = item.call.ended_at;
  view.call_op_name = std::string(wire::opNameFor(reader.spelling, op_name));
  view.call_trace_id = std::move(item.call.trace_id);
  view.display_fields = std::move(item.display_fields);
  view.added_by = std::move(item.added_by);
  view.annotation_state = item.state;
  view.annotator_user_id = std::move(item.annotator_id);
  view.created_at = item.created_at;
  view.created_by = std::move(item.created_by);
  view.updated_at = item.updated_at;
  view.position_in_queue = item.position;
  return view;
}

Result<AnnotationPage> annotationPageOf(const PageBody& body) {
  const CallPage numbers = TRY(pageOf(std::nullopt, body.limit, body.offset));
  AnnotationPage page;
  page.limit = numbers.limit;
  page.offset = numbers.offset;
  if (!body.sort_by) return page;
  for (const query::SortKey& key : *body.sort_by) {
    page.sort_by.push_back({key.field, key.descending});
  }
  return page;
}

}  // namespace spindle::tracing
