#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "http/router/parameters.h"
#include "objects/values/ref_conversion.h"
#include "schema/type.h"
#include "tracing/metadata/annotation_queue.h"
#include "tracing/routes/call_query_api.h"

namespace spindle::tracing {

/// The queue in the path of a request.
struct QueuePath {
  std::string queue_id;
};
http::Parameters<QueuePath> queuePath();

/// A queue in a response, with external references.
struct QueueView : AnnotationQueue {
  std::string project_id;
};
schema::Codec<QueueView> queueViewCodec();

/// An item of a queue in a response.
struct ItemView {
  std::string id;
  std::string project_id;
  std::string queue_id;
  std::string call_id;
  Timestamp call_started_at;
  std::optional<Timestamp> call_ended_at;
  std::string call_op_name;
  std::string call_trace_id;
  std::vector<std::string> display_fields;
  std::optional<std::string> added_by;
  AnnotationState annotation_state = AnnotationState::kUnstarted;
  std::optional<std::string> annotator_user_id;
  Timestamp created_at;
  std::string created_by;
  Timestamp updated_at;
  std::optional<Timestamp> deleted_at;
  std::optional<std::int64_t> position_in_queue;
};
schema::Codec<ItemView> itemViewCodec();
schema::Codec<AnnotationState> annotationStateCodec();

/// The reader of queues and items: decides the spelling and visibility of references.
struct AnnotationViewContext {
  std::string_view project;  ///< entity/project
  objects::RefProjects& projects;
  wire::Spelling spelling = wire::Spelling::kNeutral;
};
Result<QueueView> viewOf(AnnotationQueue queue, const AnnotationViewContext& reader);
Result<ItemView> viewOf(AnnotationItem item, const AnnotationViewContext& reader);

/// Converts paging parameters. @return kInvalidArgument for negative numbers.
Result<AnnotationPage> annotationPageOf(const PageBody& body);

}  // namespace spindle::tracing
