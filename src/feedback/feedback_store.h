#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "columnar/store/store.h"
#include "feedback/aggregation.h"
#include "feedback/feedback.h"
#include "feedback/statistics.h"
#include "query/expression.h"
#include "query/field.h"

namespace spindle::feedback {

/// Returns the columnar family of feedback: one row each, by project, in creation order.
columnar::Family feedbackFamily();

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

/// Stores feedback in the embedded columnar store. Thread-safe. Calls block on disk: use worker
/// threads only. All may return kUnavailable and kTimeout.
class FeedbackStore {
 public:
  /// `family` is the index of feedbackFamily() in the store. The store must outlive this object.
  FeedbackStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  /// Adds all feedback; replaces rows of the same id. Durable and visible when it returns.
  /// @return kRateLimited, kStorageFull too.
  Result<void> add(std::vector<ProjectFeedback> feedback);
  /// Removes the given ids; ignores unknown ones.
  Result<void> remove(std::string_view project_id, const std::vector<std::string>& ids);
  /// Removes one row and adds another, atomically.
  Result<void> replace(std::string_view removed_id, ProjectFeedback feedback);

  /// Starts reading the feedback of a query. `project` is entity/project, for queries that name it.
  /// @return the errors of the query compiler.
  Result<std::unique_ptr<FeedbackReader>> read(std::string_view project_id,
                                               std::string_view project,
                                               const FeedbackQuery& request) const;

  /// Returns the feedback of these targets of one kind, by target, in creation order.
  Result<std::unordered_map<std::string, std::vector<Feedback>>> ofTargets(
      std::string_view project_id,
      std::string_view target_kind,
      const std::vector<std::string>& target_ids) const;

  /// Returns the `feedback.` fields of the calls `c` in a snapshot.
  std::unique_ptr<query::Fields> callFields(const columnar::Snapshot& snapshot,
                                            std::string_view project_id) const;

  /// Returns the FROM source of a project's feedback in a snapshot, with the columns of
  /// feedbackFamily().
  SqlText rows(const columnar::Snapshot& snapshot, std::string_view project_id) const {
    return snapshot.from(family_, project_id);
  }

  Result<std::vector<AggregateBucket>> aggregate(std::string_view project_id,
                                                 const FeedbackAggregateQuery& query) const;

  Result<Statistics> statistics(std::string_view project_id,
                                const FeedbackStatisticsQuery& query) const;

  /// Returns the payloads in a time range, newest first.
  Result<std::vector<std::string>> payloads(std::string_view project_id,
                                            const PayloadFilter& filter,
                                            std::int64_t limit) const;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::feedback
