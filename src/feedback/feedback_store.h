#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "columnar/store.h"
#include "feedback/aggregation.h"
#include "feedback/feedback.h"
#include "feedback/statistics.h"
#include "query/expression.h"
#include "query/field.h"

namespace spindle::feedback {

/// How feedback is kept: one row each, by project, in the order of creation.
columnar::Family feedbackFamily();

/// Which feedback is wanted, in which order, and which part of it.
struct FeedbackSelection {
  std::optional<query::Query> query = {};
  std::vector<query::SortKey> sort = {};  ///< empty: as it came
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  std::vector<std::string> paths = {};  ///< `payload.x` and the like, to be read as texts
};

/// One piece of feedback with the texts at the paths that were asked for.
struct SelectedFeedback {
  Feedback feedback;
  std::vector<std::string> texts;
};

/// The feedback of an answer, some at a time. Holds a place in the store; one thread at a time.
class FeedbackReader {
 public:
  virtual ~FeedbackReader() = default;
  /// How many match, before paging.
  virtual std::int64_t total() const = 0;
  /// The next ones, in order; none at the end.
  virtual Result<std::vector<SelectedFeedback>> next() = 0;
};

/// A piece of feedback and the internal id of its project.
struct ProjectFeedback {
  std::string project_id;
  Feedback feedback;
};

/// Feedback in the embedded columnar store. Thread-safe; calls block on disk: worker threads only.
/// All may return kUnavailable and kTimeout.
class FeedbackStore {
 public:
  /// `family` is where feedbackFamily() stands in the store, which must outlive this.
  FeedbackStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  /// Adds all of it, in place of what has the same id. On disk and visible when it returns.
  /// @return kRateLimited, kStorageFull too.
  Result<void> add(std::vector<ProjectFeedback> feedback);
  /// Removes what is there of these.
  Result<void> remove(std::string_view project_id, const std::vector<std::string>& ids);
  /// Removes one and adds another, both or neither.
  Result<void> replace(std::string_view removed_id, ProjectFeedback feedback);

  /// `project` is entity/project, for queries that name it.
  /// @return the errors of the query compiler.
  Result<std::unique_ptr<FeedbackReader>> read(std::string_view project_id,
                                               std::string_view project,
                                               const FeedbackSelection& selection) const;

  /// What is attached to these targets of one kind, by target, in the order of creation.
  Result<std::unordered_map<std::string, std::vector<Feedback>>> ofTargets(
      std::string_view project_id,
      std::string_view target_kind,
      const std::vector<std::string>& target_ids) const;

  /// The fields behind `feedback.` of the calls `c` in a snapshot.
  std::unique_ptr<query::Fields> callFields(const columnar::Snapshot& snapshot,
                                            std::string_view project_id) const;

  /// What to write behind FROM for the feedback of a project in a snapshot, with the columns of
  /// feedbackFamily().
  SqlText rows(const columnar::Snapshot& snapshot, std::string_view project_id) const {
    return snapshot.from(family_, project_id);
  }

  Result<std::vector<AggregateBucket>> aggregate(std::string_view project_id,
                                                 const AggregateQuestion& question) const;

  Result<Statistics> statistics(std::string_view project_id,
                                const StatisticsQuestion& question) const;

  /// Payloads in a span of time, the newest first.
  Result<std::vector<std::string>> payloads(std::string_view project_id,
                                            const PayloadScope& scope,
                                            std::int64_t limit) const;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::feedback
