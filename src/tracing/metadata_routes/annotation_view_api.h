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

class CallStore;

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

/// An item of a queue in a response, with external references.
struct ItemView : AnnotationItem {
  std::string project_id;
  std::optional<Timestamp> deleted_at = {};  ///< never set
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

/// Returns the calls that exist, each once, in the order of the ids.
/// @return kInvalidArgument for too many ids.
Result<std::vector<QueuedCall>> queuedCalls(CallStore& store,
                                            const ProjectScope& project,
                                            const std::vector<std::string>& ids);

}  // namespace spindle::tracing
