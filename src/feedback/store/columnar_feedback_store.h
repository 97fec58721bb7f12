#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "columnar/store/store.h"
#include "feedback/feedback_store.h"
#include "feedback/store/feedback_statements.h"
#include "query/field.h"

namespace spindle::feedback {

/// Stores feedback in the embedded columnar store.
class ColumnarFeedbackStore final : public FeedbackStore {
 public:
  /// `family` is the index of feedbackFamily() in the store. The store must outlive this object.
  ColumnarFeedbackStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  Result<void> add(std::vector<ProjectFeedback> feedback) override;
  Result<void> remove(std::string_view project_id, const std::vector<std::string>& ids) override;
  Result<void> replace(std::string_view removed_id, ProjectFeedback feedback) override;

  Result<std::unique_ptr<FeedbackReader>> read(std::string_view project_id,
                                               std::string_view project,
                                               const FeedbackQuery& request) const override;
  Result<std::unordered_map<std::string, std::vector<Feedback>>> ofTargets(
      std::string_view project_id,
      std::string_view target_kind,
      const std::vector<std::string>& target_ids) const override;
  Result<std::vector<AggregateBucket>> aggregate(
      std::string_view project_id, const FeedbackAggregateQuery& query) const override;
  Result<Statistics> statistics(std::string_view project_id,
                                const FeedbackStatisticsQuery& query) const override;
  Result<std::vector<std::string>> payloads(std::string_view project_id,
                                            const PayloadFilter& filter,
                                            std::int64_t limit) const override;

  /// Returns the `feedback.` fields of the calls `c` in a snapshot, for the store of calls.
  std::unique_ptr<query::Fields> callFields(const columnar::Snapshot& snapshot,
                                            std::string_view project_id) const;

 private:
  FeedbackRows rowsOf(const columnar::Snapshot& snapshot, std::string_view project_id) const;

  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::feedback
