#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "tracing/annotation_queue.h"

namespace spindle::storage {
class Database;
}

namespace spindle::tracing {

/// The annotation queues of projects. A deleted queue is only marked, and its items stay.
/// Thread-safe; calls block on the database and may return kUnavailable.
class AnnotationQueueRepository {
 public:
  AnnotationQueueRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  Result<AnnotationQueue> insert(std::string_view project_id, const NewAnnotationQueue& queue);

  /// @return kNotFound when it is missing or deleted.
  Result<AnnotationQueue> find(std::string_view project_id, std::string_view queue_id);
  /// The same as a question.
  Result<bool> exists(std::string_view project_id, std::string_view queue_id);

  /// Those whose name contains `name`, in whatever case; the newest first unless sorted otherwise.
  /// @return kInvalidArgument for a field that cannot be sorted by.
  Result<std::vector<AnnotationQueue>> list(std::string_view project_id,
                                            std::string_view name,
                                            const AnnotationPage& page);

  /// @return kNotFound.
  Result<AnnotationQueue> update(std::string_view project_id,
                                 std::string_view queue_id,
                                 const AnnotationQueueChange& change);
  /// @return the queue as it was left; kNotFound.
  Result<AnnotationQueue> remove(std::string_view project_id, std::string_view queue_id);

  /// How many items each queue has; those that do not exist have none.
  Result<std::vector<AnnotationQueueStats>> stats(std::string_view project_id,
                                                  const std::vector<std::string>& queue_ids);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::tracing
