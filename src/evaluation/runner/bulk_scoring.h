#pragma once

#include "evaluation/runner/evaluation_runner.h"
#include "tracing/bulk/bulk_action.h"

namespace spindle::evaluation {

/// Scores the calls of a bulk job. The id of a score is derived from the job, the call and the
/// scorer, so that a repeated batch asks no judge twice and adds no feedback twice. Scores
/// `concurrency` calls in parallel, on threads of its own.
class BulkScoring final : public tracing::BulkAction {
 public:
  BulkScoring(RunnerPorts ports, RunnerOptions options)
      : ports_(std::move(ports)), options_(options) {}

  std::int64_t maxCalls() const override { return 100'000; }
  std::size_t batchSize() const override { return 20; }
  Result<std::string> prepare(const tracing::BulkScope& scope,
                              std::string_view parameters) const override;
  Result<tracing::BulkResult> apply(const tracing::BulkWork& work,
                                    const std::vector<std::string>& call_ids) const override;

 private:
  Result<std::vector<NamedScorer>> scorersOf(const tracing::BulkScope& scope,
                                             std::string_view parameters) const;

  const RunnerPorts ports_;
  const RunnerOptions options_;
};

}  // namespace spindle::evaluation
