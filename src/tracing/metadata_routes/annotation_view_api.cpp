#include "tracing/metadata_routes/annotation_view_api.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {

using schema::dateTime, schema::list, schema::nullable, schema::Record, schema::string;

http::Parameters<QueuePath> queuePath() {
  return http::Parameters<QueuePath>().path("queue_id", &QueuePath::queue_id, string(), "");
}

namespace {

/// Starts the record of a queue or an item.
template <class View>
Record<View> annotationRecord(std::string name) {
  Record<View> record(std::move(name));
  record.required("id", &View::id, string())
      .required("project_id", &View::project_id, string(), "entity/project");
  return record;
}

/// Adds the times of a queue or an item, and its author.
template <class View>
Record<View>& addTimes(Record<View>& record, std::string_view deletion) {
  return record.required("created_at", &View::created_at, dateTime())
      .required("created_by", &View::created_by, string())
      .required("updated_at", &View::updated_at, dateTime())
      .required("deleted_at", &View::deleted_at, nullable(dateTime()), deletion);
}

}  // namespace

schema::Codec<QueueView> queueViewCodec() {
  Record<QueueView> record = annotationRecord<QueueView>("AnnotationQueue");
  record.required("name", &QueueView::name, string())
      .required("description", &QueueView::description, string())
      .required("scorer_refs", &QueueView::scorer_refs, list(string()),
                "References of the scorers that annotators fill in for each call.");
  return addTimes(record, "").codec();
}

schema::Codec<AnnotationState> annotationStateCodec() {
  std::vector<std::pair<std::string, AnnotationState>> names;
  for (const AnnotationState state : {AnnotationState::kUnstarted, AnnotationState::kInProgress,
                                      AnnotationState::kCompleted, AnnotationState::kSkipped})
    names.emplace_back(textOf(state), state);
  return schema::enumeration(names);
}

schema::Codec<ItemView> itemViewCodec() {
  Record<ItemView> record = annotationRecord<ItemView>("AnnotationQueueItem");
  record.required("queue_id", &ItemView::queue_id, string())
      .required("call_id", &ItemView::call_id, string())
      .required("call_started_at", &ItemView::call_started_at, dateTime())
      .required("call_ended_at", &ItemView::call_ended_at, nullable(dateTime()),
                "Value when the call was added.")
      .required("call_op_name", &ItemView::call_op_name, string())
      .required("call_trace_id", &ItemView::call_trace_id, string())
      .required("display_fields", &ItemView::display_fields, list(string()),
                "Paths in the call that annotators see.")
      .required("added_by", &ItemView::added_by, nullable(string()))
      .required("annotation_state", &ItemView::state, annotationStateCodec(),
                "Newest state of any annotator.")
      .required("annotator_user_id", &ItemView::annotator_id, nullable(string()),
                "The annotator of that state.");
  return addTimes(record, "Always null.")
      .required("position_in_queue", &ItemView::position, nullable(schema::integer()),
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
  const std::string op_name =
      TRY(objects::externalRef(item.call_op_name, reader.projects, reader.spelling));
  item.call_op_name = std::string(wire::opNameFor(reader.spelling, op_name));
  return ItemView{std::move(item), std::string(reader.project)};
}

Result<AnnotationPage> annotationPageOf(const PageBody& body) {
  const CallPage numbers = TRY(pageOf(std::nullopt, body.limit, body.offset));
  return AnnotationPage{body.sort_by.value_or(std::vector<query::SortKey>()), numbers.limit,
                        numbers.offset};
}

Result<std::vector<QueuedCall>> queuedCalls(CallStore& store,
                                            const ProjectScope& project,
                                            const std::vector<std::string>& ids) {
  if (ids.empty()) return std::vector<QueuedCall>();
  TRY(checkFilterList("call_ids", ids));
  std::unique_ptr<CallView> view = TRY(store.view(project));
  CallQuery selection;
  selection.filter.call_ids = ids;
  std::unique_ptr<CallReader> reader =
      TRY(view->read(selection, CallPage{},
                     {CallColumn::kId, CallColumn::kStartedAt, CallColumn::kEndedAt,
                      CallColumn::kOpName, CallColumn::kTraceId}));
  std::vector<QueuedCall> found;
  while (true) {
    std::vector<Call> calls = TRY(reader->next());
    if (calls.empty()) break;
    for (Call& call : calls) {
      found.push_back({std::move(call.id), call.started_at.value_or(Timestamp()), call.ended_at,
                       std::move(call.op_name), std::move(call.trace_id)});
    }
  }
  const auto place = [&ids](const QueuedCall& call) {
    return std::find(ids.begin(), ids.end(), call.call_id) - ids.begin();
  };
  std::sort(found.begin(), found.end(),
            [&place](const QueuedCall& a, const QueuedCall& b) { return place(a) < place(b); });
  return found;
}

}  // namespace spindle::tracing
