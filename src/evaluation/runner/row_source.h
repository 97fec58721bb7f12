#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "evaluation/runner/evaluation_objects.h"
#include "objects/store/table_reader.h"
#include "tracing/store/call_store.h"

namespace spindle::evaluation {

/// The prediction of an earlier run, to be scored again.
struct StoredPrediction {
  std::optional<std::string> output;  ///< JSON; empty: no output
  std::optional<std::string> exception;
  std::chrono::microseconds latency{0};
};

/// One example in one trial. It becomes one call `Evaluation.predict_and_score`.
struct RowTask {
  enum class State {
    kNew,
    kOpen,  ///< started before a restart of the job
    kDone,
  };

  std::string row_call_id;
  std::string prediction_id;
  std::string example;   ///< JSON: the input of the model and the scorers
  std::string recorded;  ///< JSON: the example in the call, a reference or the example itself
  std::optional<StoredPrediction> stored = {};
  State state = State::kNew;
};

/// Produces the tasks of a run in batches, always in the same order. Not thread-safe; blocks on the
/// stores and returns their errors.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Returns the next batch; empty at the end.
  virtual Result<std::vector<RowTask>> next() = 0;
};

/// Produces one task per row of a dataset and trial.
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
  std::size_t row_ = 0;     ///< index in `rows_`
  std::int64_t trial_ = 0;  ///< next trial of that row
};

/// Produces one task per prediction of another run, of the server or of an SDK.
class StoredRows final : public RowSource {
 public:
  /// All references must outlive this object.
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

/// Sets the state of tasks that were started or done before.
Result<void> loadTaskStates(tracing::CallStore& calls,
                            const tracing::ProjectScope& project,
                            std::vector<RowTask>& tasks);

}  // namespace spindle::evaluation
