#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"
#include "tracing/metadata/annotation_queue.h"

namespace spindle::tracing {

/// Stores the annotation queues of projects. Deletion only marks a queue; its items remain.
/// Thread-safe; calls block on the database and may return kUnavailable.
class AnnotationQueueRepository {
 public:
  AnnotationQueueRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  Result<AnnotationQueue> insert(std::string_view project_id, const NewAnnotationQueue& queue);

  /// @return kNotFound if the queue is missing or deleted.
  Result<AnnotationQueue> find(std::string_view project_id, std::string_view queue_id);
  /// Returns false where find() returns kNotFound.
  Result<bool> exists(std::string_view project_id, std::string_view queue_id);

  /// Returns the queues whose name contains `name`, ignoring case, by default newest first.
  /// @return kInvalidArgument for a field that cannot be sorted by.
  Result<std::vector<AnnotationQueue>> list(std::string_view project_id,
                                            std::string_view name,
                                            const AnnotationPage& page);

  /// @return kNotFound.
  Result<AnnotationQueue> update(std::string_view project_id,
                                 std::string_view queue_id,
                                 const AnnotationQueueChange& change);
  /// Marks the queue as deleted. @return the deleted queue; kNotFound.
  Result<AnnotationQueue> remove(std::string_view project_id, std::string_view queue_id);

  /// Returns item counts in the order of the ids; unknown queues have zero.
  Result<std::vector<AnnotationQueueStats>> stats(std::string_view project_id,
                                                  const std::vector<std::string>& queue_ids);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::tracing
