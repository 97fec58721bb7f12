#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"
#include "tracing/metadata/annotation_queue.h"

namespace spindle::tracing {

/// A call and a queue that contains it.
struct QueueMembership {
  std::string call_id;
  std::string queue_id;
};

/// Stores the calls in annotation queues and the progress of the annotators. Items of a deleted
/// queue can still be read and annotated. Thread-safe; calls block on the database and may return
/// kUnavailable.
class AnnotationItemRepository {
 public:
  AnnotationItemRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Adds calls that are not in the queue yet. @return kNotFound for a missing or deleted queue.
  Result<AddedItems> add(std::string_view project_id,
                         std::string_view queue_id,
                         const std::vector<QueuedCall>& calls,
                         const std::vector<std::string>& display_fields,
                         std::string_view user_id);

  /// Returns items, by default in insertion order. @return kNotFound for an unknown queue,
  /// kInvalidArgument for a field that cannot be sorted by.
  Result<std::vector<AnnotationItem>> list(std::string_view project_id,
                                           std::string_view queue_id,
                                           const AnnotationItemFilter& filter,
                                           const AnnotationPage& page,
                                           bool with_position);

  /// Sets the state of an item for one annotator.
  /// @return the item with this annotator's state; kNotFound for an unknown queue, kInvalidArgument
  /// for an unknown item and for a transition that is not allowed.
  Result<AnnotationItem> setState(std::string_view project_id,
                                  std::string_view queue_id,
                                  std::string_view item_id,
                                  std::string_view annotator_id,
                                  AnnotationState state);

  /// Returns every call of a project that is in a queue.
  Result<std::vector<QueueMembership>> memberships(std::string_view project_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::tracing
