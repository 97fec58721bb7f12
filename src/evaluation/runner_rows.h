#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "evaluation/runner_objects_json.h"
#include "objects/table_reader.h"
#include "tracing/call_store.h"

namespace spindle::evaluation {

/// What a model said before, for scoring it again.
struct StoredPrediction {
  std::optional<std::string> output;  ///< JSON; empty: there is none
  std::optional<std::string> exception;
  std::chrono::microseconds latency{0};
};

/// One example in one trial: what becomes one `Evaluation.predict_and_score`.
struct RowTask {
  enum class State {
    kNew,
    kOpen,  ///< begun before a restart
    kDone,
  };

  std::string row_call_id;
  std::string prediction_id;
  std::string example;   ///< JSON: what the model and the scorers see
  std::string recorded;  ///< JSON: what stands in the call, a reference or the example itself
  std::optional<StoredPrediction> stored = {};
  State state = State::kNew;
};

/// The tasks of a run, some at a time and in an order that is the same every time.
/// One thread at a time; blocks on the stores and returns their errors.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// None at the end.
  virtual Result<std::vector<RowTask>> next() = 0;
};

/// Every row of a dataset, in each trial.
class DatasetRows final : public RowSource {
 public:
  DatasetRows(objects::TableRepository& tables,
              Dataset dataset,
              std::int64_t trials,
              std::string run_id);
  Result<std::vector<RowTask>> next() override;

 private:
  RowTask task() const;

  const Dataset dataset_;
  const std::int64_t trials_;
  const std::string run_id_;
  objects::TableReader reader_;
  std::vector<objects::TableRow> rows_;
  std::size_t row_ = 0;     ///< of `rows_`
  std::int64_t trial_ = 0;  ///< of that row
};

/// The predictions of another run, whoever made it.
class StoredRows final : public RowSource {
 public:
  /// Everything given must outlive this.
  StoredRows(tracing::CallStore& calls,
             const tracing::ProjectScope& project,
             EvaluationObjects& objects,
             std::string source_run_id,
             std::string run_id)
      : calls_(calls),
        project_(project),
        objects_(objects),
        source_run_id_(std::move(source_run_id)),
        run_id_(std::move(run_id)) {}
  Result<std::vector<RowTask>> next() override;

 private:
  tracing::CallStore& calls_;
  const tracing::ProjectScope& project_;
  EvaluationObjects& objects_;
  const std::string source_run_id_;
  const std::string run_id_;
  std::int64_t offset_ = 0;
};

/// Marks what is there of these tasks already.
Result<void> findProgress(tracing::CallStore& calls,
                          const tracing::ProjectScope& project,
                          std::vector<RowTask>& tasks);

}  // namespace spindle::evaluation
