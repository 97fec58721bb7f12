#include "evaluation/runner/row_source.h"

#include <unordered_map>
#include <utility>

#include "evaluation/recording/call_names.h"
#include "evaluation/recording/run_calls.h"
#include "evaluation/runner/evaluation_job_payload.h"
#include "evaluation/runner/stored_prediction_json.h"
#include "evaluation/scoring/prompt_template.h"

namespace spindle::evaluation {
namespace {

using tracing::Call;
using tracing::CallColumn;

constexpr std::size_t kTasksPerPage = 100;

}  // namespace

DatasetRows::DatasetRows(objects::TableRepository& tables,
                         Dataset dataset,
                         std::int64_t trials,
                         std::string run_id)
    : dataset_(std::move(dataset)),
      trials_(trials),
      run_id_(std::move(run_id)),
      reader_(tables, dataset_.project_id, dataset_.table_digest, {}) {}

RowTask DatasetRows::task() const {
  const objects::TableRow& row = rows_[row_];
  // A table may contain equal rows; the index distinguishes them.
  const std::string place = std::to_string(row.index);
  const std::string trial = std::to_string(trial_);
  RowTask task;
  task.row_call_id = stepId({run_id_, row.digest, place, trial, "predict_and_score"});
  task.prediction_id = stepId({run_id_, row.digest, place, trial, "predict"});
  task.example = row.value;
  task.recorded = jsonText(rowRef(dataset_, row.digest));
  return task;
}

Result<std::vector<RowTask>> DatasetRows::next() {
  if (row_ == rows_.size()) {
    std::vector<objects::TableRow> rows = TRY(reader_.next());
    rows_ = std::move(rows);
    row_ = 0;
  }
  std::vector<RowTask> tasks;
  while (row_ < rows_.size() && tasks.size() < kTasksPerPage) {
    tasks.push_back(task());
    if (++trial_ < trials_) continue;
    trial_ = 0;
    ++row_;
  }
  return tasks;
}

Result<std::vector<RowTask>> StoredRows::next() {
  std::vector<RowTask> tasks;
  std::vector<std::string> examples;
  std::size_t seen = kTasksPerPage;
  // A page may contain no prediction.
  while (tasks.empty() && seen == kTasksPerPage) {
    seen = 0;
    tracing::CallPage page;
    page.limit = static_cast<std::int64_t>(kTasksPerPage);
    page.offset = offset_;
    TRY(forChildren(
        calls_, project_, source_run_id_,
        {CallColumn::kId, CallColumn::kOpName, CallColumn::kEndedAt, CallColumn::kException,
         CallColumn::kInputs, CallColumn::kOutput},
        [&](const Call& call) {
          ++seen;
          if (!isPredictAndScore(call.op_name) || !call.ended_at) return;
          RowTask task;
          task.row_call_id = stepId({run_id_, call.id, "predict_and_score"});
          task.prediction_id = stepId({run_id_, call.id, "predict"});
          task.stored = storedPredictionOf(call);
          task.recorded = recordedExampleOf(call);
          examples.push_back(task.recorded);
          tasks.push_back(std::move(task));
        },
        page));
    offset_ += static_cast<std::int64_t>(seen);
  }
  std::vector<std::string> values = TRY(objects_.resolve(examples));
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].example = std::move(values[i]);
  return tasks;
}

Result<void> loadTaskStates(tracing::CallStore& calls,
                            const tracing::ProjectScope& project,
                            std::vector<RowTask>& tasks) {
  if (tasks.empty()) return {};
  std::unordered_map<std::string, RowTask*> by_id;
  tracing::CallQuery selection;
  std::vector<std::string>& ids = selection.filter.call_ids.emplace();
  for (RowTask& task : tasks) {
    by_id.emplace(task.row_call_id, &task);
    ids.push_back(task.row_call_id);
  }
  std::unique_ptr<tracing::CallView> view = TRY(calls.view(project));
  std::unique_ptr<tracing::CallReader> reader =
      TRY(view->read(selection, {}, {CallColumn::kId, CallColumn::kEndedAt}));
  for (;;) {
    const std::vector<Call> batch = TRY(reader->next());
    if (batch.empty()) return {};
    for (const Call& call : batch) {
      const auto known = by_id.find(call.id);
      if (known == by_id.end()) continue;
      known->second->state = call.ended_at ? RowTask::State::kDone : RowTask::State::kOpen;
    }
  }
}

}  // namespace spindle::evaluation
