#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "feedback/aggregation.h"
#include "feedback/feedback.h"
#include "feedback/statistics.h"
#include "query/expression.h"

namespace spindle::feedback {

/// Filter, sort order, page and paths of a feedback query.
struct FeedbackQuery {
  std::optional<query::Query> query = {};
  std::vector<query::SortKey> sort = {};  ///< empty: creation order
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  std::vector<std::string> paths = {};  ///< paths such as `payload.x`, to read as strings
};

/// One feedback with the strings at the requested paths.
struct FeedbackRow {
  Feedback feedback;
  std::vector<std::string> texts;
};

/// Streams the result of a feedback query in batches. Occupies a slot of the store. For one thread
/// at a time.
class FeedbackReader {
 public:
  virtual ~FeedbackReader() = default;
  /// Returns the number of matches before paging.
  virtual std::int64_t total() const = 0;
  /// Returns the next batch in order; an empty batch at the end.
  virtual Result<std::vector<FeedbackRow>> next() = 0;
};

/// Feedback with the internal id of its project.
struct ProjectFeedback {
  std::string project_id;
  Feedback feedback;
};

/// Stores feedback. Thread-safe; calls block on disk: use worker threads only. All may return
/// kUnavailable and kTimeout. `feedback_store_contract_for_test.h` tests the rules for every
/// implementation.
class FeedbackStore {
 public:
  virtual ~FeedbackStore() = default;

  /// Adds all feedback; replaces rows of the same id. Durable and visible when it returns.
  /// @return kRateLimited, kStorageFull too.
  virtual Result<void> add(std::vector<ProjectFeedback> feedback) = 0;
  /// Removes the given ids; ignores unknown ones.
  virtual Result<void> remove(std::string_view project_id, const std::vector<std::string>& ids) = 0;
  /// Removes one row and adds another, atomically.
  virtual Result<void> replace(std::string_view removed_id, ProjectFeedback feedback) = 0;

  /// Starts reading the feedback of a query. `project` is entity/project, for queries that name it.
  /// @return kInvalidArgument or kUnprocessable for an invalid query.
  virtual Result<std::unique_ptr<FeedbackReader>> read(std::string_view project_id,
                                                       std::string_view project,
                                                       const FeedbackQuery& request) const = 0;

  /// Returns the feedback of these targets of one kind, by target, in creation order.
  virtual Result<std::unordered_map<std::string, std::vector<Feedback>>> ofTargets(
      std::string_view project_id,
      std::string_view target_kind,
      const std::vector<std::string>& target_ids) const = 0;

  virtual Result<std::vector<AggregateBucket>> aggregate(
      std::string_view project_id, const FeedbackAggregateQuery& query) const = 0;

  virtual Result<Statistics> statistics(std::string_view project_id,
                                        const FeedbackStatisticsQuery& query) const = 0;

  /// Returns the payloads in a time range, newest first.
  virtual Result<std::vector<std::string>> payloads(std::string_view project_id,
                                                    const PayloadFilter& filter,
                                                    std::int64_t limit) const = 0;
};

}  // namespace spindle::feedback
