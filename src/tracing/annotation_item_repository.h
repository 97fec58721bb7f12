#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "tracing/annotation_queue.h"

namespace spindle::storage {
class Database;
}

namespace spindle::tracing {

/// Which call is in which queue.
struct QueueMembership {
  std::string call_id;
  std::string queue_id;
};

/// The calls in annotation queues, and how far the annotators are with them. Those of a deleted
/// queue can still be read and worked on. Thread-safe; calls block on the database and may return
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

  /// In the order they were added unless sorted otherwise. @return kNotFound for an unknown queue,
  /// kInvalidArgument for a field that cannot be sorted by.
  Result<std::vector<AnnotationItem>> list(std::string_view project_id,
                                           std::string_view queue_id,
                                           const AnnotationItemFilter& filter,
                                           const AnnotationPage& page,
                                           bool with_position);

  /// Notes how far an annotator is. @return the item as this annotator left it; kNotFound for an
  /// unknown queue, kInvalidArgument for an unknown item and for a move that is not allowed.
  Result<AnnotationItem> setState(std::string_view project_id,
                                  std::string_view queue_id,
                                  std::string_view item_id,
                                  std::string_view annotator_id,
                                  AnnotationState state);

  /// Every call of a project that is in a queue.
  Result<std::vector<QueueMembership>> memberships(std::string_view project_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::tracing
