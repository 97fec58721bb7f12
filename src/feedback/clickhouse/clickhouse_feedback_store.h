#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "clickhouse/inserts/grouped_inserts.h"
#include "feedback/feedback_store.h"
#include "query/field.h"

namespace spindle::feedback {

/// Stores feedback in ClickHouse, for any number of nodes.
///
/// A write is stored when ClickHouse has acknowledged it. It is one block of one INSERT: all of it
/// becomes visible at once. The statements of a query are not a snapshot: each sees the newest
/// feedback.
class ClickHouseFeedbackStore final : public FeedbackStore {
 public:
  /// The tables of feedbackTables() must exist. All parameters must outlive this object.
  ClickHouseFeedbackStore(clickhouse::Client& client,
                          MetricRegistry& metrics,
                          const Clock& clock,
                          const clickhouse::GroupOptions& options = {});

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

  /// Returns the `feedback.` fields of calls `c`, for the store of calls.
  std::unique_ptr<query::Fields> callFields(std::string_view project_id) const;

 private:
  class Write;

  Result<void> store(Write write);

  clickhouse::Client& client_;
  const Clock& clock_;
  clickhouse::GroupedInserts inserts_;
};

}  // namespace spindle::feedback
