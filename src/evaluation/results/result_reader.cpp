#include "evaluation/results/result_reader.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evaluation/recording/call_names.h"
#include "evaluation/recording/run_payload_json.h"
#include "evaluation/results/result_table.h"
#include "evaluation/results/trial_json.h"
#include "query/field.h"
#include "tracing/ingest/json_path.h"
#include "tracing/routes/call_usage.h"
#include "tracing/store/call_store.h"
#include "tracing/store/ref_values.h"

namespace spindle::evaluation {
namespace {

using tracing::Call;
using tracing::CallColumn;

/// Maximum number of calls or references per read.
constexpr std::size_t kMaxIdsPerRead = 500;

Error tooLargeError(std::string_view what) {
  return {ErrorCode::kTooLarge, "The results are too large: " + std::string(what)};
}

/// The usage that a call reports.
struct Usage {
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
};

Usage usedBy(const Call& call, const pricing::ProjectPrices* prices) {
  Usage used;
  for (const auto& [model, usage] : tracing::usageOf(call)) {
    const std::int64_t reported =
        usage.total_tokens != 0 ? usage.total_tokens
                                : pricing::addTokens(usage.prompt_tokens, usage.completion_tokens);
    used.tokens = pricing::addTokens(used.tokens.value_or(0), reported);
    const pricing::Price* price =
        prices == nullptr ? nullptr : prices->choose(model, call.started_at.value_or(Timestamp()));
    if (price != nullptr)
      used.cost = used.cost.value_or(0) + pricing::costOf(usage, price->tokens).total();
  }
  return used;
}

/// The data from the child calls of a trial.
struct Children {
  std::optional<std::string> predict_call_id = {};
  std::optional<double> latency_seconds = {};
  Usage used = {};
  std::vector<std::pair<std::string, std::string>> scorer_call_ids = {};
};

/// The execution of one query. Reads everything from one view, so that the results are consistent.
class ResultQueryExecution {
 public:
  ResultQueryExecution(const ResultPorts& ports,
                       const ResultLimits& limits,
                       const tracing::ProjectScope& project,
                       const ResultQuery& result_query,
                       RequestedFields fields)
      : ports_(ports),
        limits_(limits),
        project_(project),
        query_(result_query),
        table_(result_query, std::move(fields)) {}

  Result<EvaluationResults> readResults() {
    std::unique_ptr<tracing::CallView> view = TRY(ports_.calls.view(project_));
    view_ = std::move(view);
    if (query_.costs) {
      std::shared_ptr<const pricing::ProjectPrices> prices = TRY(ports_.prices(project_.id));
      prices_ = std::move(prices);
    }
    TRY(readRoots());
    TRY(readTrials());
    TRY(resolveInputs());
    const std::vector<const LightRow*> rows = TRY(table_.selected());
    results_.total_rows = static_cast<std::int64_t>(rows.size());
    if (query_.rows) {
      TRY(readPage(rows));
    }
    if (query_.summary) {
      TRY(summarize());
    }
    if (query_.compare) {
      ResultComparison comparison = TRY(table_.compare(rows, *query_.compare));
      results_.comparison = std::move(comparison);
    }
    return std::move(results_);
  }

 private:
  template <class Each>
  Result<void> forCalls(const tracing::CallFilter& filter,
                        const std::vector<CallColumn>& columns,
                        const Each& each) {
    tracing::CallQuery selection;
    selection.filter = filter;
    std::unique_ptr<tracing::CallReader> reader = TRY(view_->read(selection, {}, columns));
    for (;;) {
      std::vector<Call> batch = TRY(reader->next());
      if (batch.empty()) return {};
      for (const Call& call : batch) {
        TRY(each(call));
      }
    }
  }

  /// Calls `each` with chunks of at most kMaxIdsPerRead items.
  template <class Each>
  static Result<void> inChunks(const std::vector<std::string>& items, const Each& each) {
    for (std::size_t first = 0; first < items.size(); first += kMaxIdsPerRead) {
      const std::size_t end = std::min(items.size(), first + kMaxIdsPerRead);
      const std::vector<std::string> chunk(items.begin() + static_cast<std::ptrdiff_t>(first),
                                           items.begin() + static_cast<std::ptrdiff_t>(end));
      TRY(each(chunk));
    }
    return {};
  }

  Result<void> readRoots() {
    tracing::CallFilter filter;
    filter.call_ids = query_.evaluations;
    return forCalls(filter,
                    {CallColumn::kId, CallColumn::kOpName, CallColumn::kTraceId,
                     CallColumn::kDisplayName, CallColumn::kStartedAt, CallColumn::kEndedAt,
                     CallColumn::kException, CallColumn::kAttributes, CallColumn::kInputs},
                    [this](const Call& call) -> Result<void> {
                      roots_.emplace(call.id, call);
                      return {};
                    });
  }

  Result<void> readTrials() {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < query_.evaluations.size(); ++i)
      places.emplace(query_.evaluations[i], i);
    tracing::CallFilter filter;
    filter.parent_ids = query_.evaluations;
    return forCalls(
        filter,
        {CallColumn::kId, CallColumn::kParentId, CallColumn::kOpName, CallColumn::kStartedAt,
         CallColumn::kAttributes, CallColumn::kInputs, CallColumn::kOutput, CallColumn::kSummary},
        [&](const Call& call) -> Result<void> {
          if (!isPredictAndScore(call.op_name)) return {};
          return addTrial(call, places.at(call.parent_id.value_or("")));
        });
  }

  Result<void> addTrial(const Call& call, std::size_t evaluation) {
    const TrialParts parts = trialPartsOf(call);
    LightRow& row = table_.row(rowDigestOf(parts.example));
    const RequestedFields& fields = table_.fields();
    LightTrial trial;
    trial.call_id = call.id;
    trial.scores = parts.scores;
    for (const std::string& field : fields.output)
      trial.outputs.push_back(valueAt(parts.model_output, field));
    if (!row.example_ref) row.example_ref = exampleRef(parts.example);
    for (std::size_t i = 0; i < fields.inputs.size() && !row.example_ref; ++i) {
      if (!row.inputs[i]) row.inputs[i] = valueAt(parts.example, fields.inputs[i]);
    }
    const Usage used = usedBy(call, prices_.get());
    trial.tokens = used.tokens;
    trial.cost = used.cost;
    models_.emplace(call.id, modelOf(query_.evaluations[evaluation]));
    light_bytes_ += sizeof(LightTrial) + trial.call_id.size() + trial.scores.size();
    for (const std::optional<std::string>& value : trial.outputs)
      light_bytes_ += value ? value->size() : 0;
    row.trials[evaluation].push_back(std::move(trial));
    if (models_.size() > limits_.trials || light_bytes_ > limits_.light_bytes)
      return tooLargeError("ask for fewer evaluations at once");
    return {};
  }

  static std::optional<std::string> valueAt(std::string_view json, const std::string& field) {
    const Result<std::vector<std::string>> path = query::splitPath(field);
    return path ? tracing::jsonAt(json, *path) : std::nullopt;
  }

  std::string_view modelOf(const std::string& evaluation) {
    const auto known = root_models_.find(evaluation);
    if (known != root_models_.end()) return known->second;
    const auto root = roots_.find(evaluation);
    return root_models_
        .emplace(evaluation, root == roots_.end() ? std::string() : runOf(root->second).model)
        .first->second;
  }

  /// Resolves references to rows of datasets and calls `use(ref, value)` for each. Adds a warning
  /// for references that cannot be resolved.
  template <class Use>
  Result<void> resolve(const std::vector<std::string>& refs, const Use& use) {
    std::size_t missing = 0;
    TRY(inChunks(refs, [&](const std::vector<std::string>& chunk) -> Result<void> {
      std::vector<std::optional<std::string>> values =
          TRY(ports_.ref_values.valuesOf(project_.id, chunk));
      for (std::size_t i = 0; i < chunk.size(); ++i) {
        if (values[i]) {
          use(chunk[i], *std::move(values[i]));
        } else {
          ++missing;
        }
      }
      return {};
    }));
    if (missing > 0) {
      const std::string warning = std::to_string(missing) + " dataset rows could not be resolved";
      if (std::find(results_.warnings.begin(), results_.warnings.end(), warning) ==
          results_.warnings.end()) {
        results_.warnings.push_back(warning);
      }
    }
    return {};
  }

  /// Loads the requested input fields of rows that are references.
  Result<void> resolveInputs() {
    const RequestedFields& fields = table_.fields();
    if (fields.inputs.empty()) return {};
    std::unordered_map<std::string, LightRow*> rows;
    std::vector<std::string> refs;
    for (auto& [digest, row] : table_.rows()) {
      if (!row.example_ref) continue;
      rows.emplace(*row.example_ref, &row);
      refs.push_back(*row.example_ref);
    }
    return resolve(refs, [&](const std::string& ref, const std::string& value) {
      for (std::size_t i = 0; i < fields.inputs.size(); ++i)
        rows.at(ref)->inputs[i] = valueAt(value, fields.inputs[i]);
    });
  }

  /// Reads the child calls of these trials, by trial.
  Result<std::unordered_map<std::string, Children>> childrenOf(
      const std::vector<std::string>& trials,
      const std::unordered_map<std::string, std::string>& predict_ids) {
    std::unordered_map<std::string, Children> found;
    tracing::CallFilter filter;
    TRY(inChunks(trials, [&](const std::vector<std::string>& chunk) -> Result<void> {
      filter.parent_ids = chunk;
      return forCalls(filter,
                      {CallColumn::kId, CallColumn::kParentId, CallColumn::kOpName,
                       CallColumn::kStartedAt, CallColumn::kEndedAt, CallColumn::kAttributes,
                       CallColumn::kInputs, CallColumn::kSummary},
                      [&](const Call& call) -> Result<void> {
                        addChild(call, found[*call.parent_id], predict_ids);
                        return {};
                      });
    }));
    return found;
  }

  void addChild(const Call& call,
                Children& children,
                const std::unordered_map<std::string, std::string>& predict_ids) {
    if (isScore(call)) {
      children.scorer_call_ids.emplace_back(scorerNameOf(call), call.id);
      return;
    }
    const auto named = predict_ids.find(*call.parent_id);
    const bool predicts = named != predict_ids.end() ? named->second == call.id
                                                     : isPredict(call, models_.at(*call.parent_id));
    if (!predicts || children.predict_call_id) return;
    children.predict_call_id = call.id;
    if (call.started_at && call.ended_at) {
      children.latency_seconds =
          std::chrono::duration<double>(*call.ended_at - *call.started_at).count();
    }
    children.used = usedBy(call, prices_.get());
  }

  Result<void> readPage(const std::vector<const LightRow*>& rows) {
    const std::size_t first = std::min(rows.size(), static_cast<std::size_t>(query_.offset));
    const std::size_t most = query_.limit ? static_cast<std::size_t>(*query_.limit) : rows.size();
    const std::size_t end = std::min(rows.size(), first + std::min(most, rows.size() - first));
    std::vector<std::string> ids;
    std::unordered_map<std::string, Trial*> trials;
    std::unordered_map<std::string, ResultRow*> rows_of;
    results_.rows.resize(end - first);
    for (std::size_t i = first; i < end; ++i) {
      ResultRow& row = results_.rows[i - first];
      row.digest = rows[i]->digest;
      for (std::size_t e = 0; e < rows[i]->trials.size(); ++e) {
        if (!rows[i]->isIn(e)) continue;
        RowEvaluation& evaluation = row.evaluations.emplace_back();
        evaluation.evaluation_call_id = query_.evaluations[e];
        for (const LightTrial& light : rows[i]->trials[e]) {
          Trial& trial = evaluation.trials.emplace_back();
          trial.call_id = light.call_id;
          trial.scores.json = light.scores;
          trial.tokens = light.tokens;
          trial.cost = light.cost;
          ids.push_back(light.call_id);
        }
      }
      for (RowEvaluation& evaluation : row.evaluations) {
        for (Trial& trial : evaluation.trials) {
          trials.emplace(trial.call_id, &trial);
          rows_of.emplace(trial.call_id, &row);
        }
      }
    }
    TRY(readPayloads(ids, trials, rows_of));
    if (query_.raw_rows && query_.resolve_rows) {
      TRY(resolveRows());
    }
    if (!query_.children) return {};
    return addChildren(ids, trials);
  }

  Result<void> readPayloads(const std::vector<std::string>& ids,
                            const std::unordered_map<std::string, Trial*>& trials,
                            const std::unordered_map<std::string, ResultRow*>& rows_of) {
    std::size_t bytes = 0;
    return inChunks(ids, [&](const std::vector<std::string>& chunk) -> Result<void> {
      tracing::CallFilter filter;
      filter.call_ids = chunk;
      return forCalls(filter,
                      {CallColumn::kId, CallColumn::kOpName, CallColumn::kAttributes,
                       CallColumn::kInputs, CallColumn::kOutput},
                      [&](const Call& call) -> Result<void> {
                        TrialParts parts = trialPartsOf(call);
                        Trial& trial = *trials.at(call.id);
                        ResultRow& row = *rows_of.at(call.id);
                        if (query_.raw_rows && !row.raw) {
                          bytes += parts.example.size();
                          row.raw = json::Text{std::move(parts.example)};
                        }
                        bytes += parts.model_output.size() + trial.scores.json.size();
                        trial.model_output.json = std::move(parts.model_output);
                        trial.latency_seconds = parts.latency_seconds;
                        trial.predict_call_id = std::move(parts.predict_call_id);
                        if (parts.genai_spans)
                          trial.genai_spans = json::Text{*std::move(parts.genai_spans)};
                        if (bytes > limits_.page_bytes)
                          return tooLargeError("ask for fewer rows with limit");
                        return {};
                      });
    });
  }

  Result<void> resolveRows() {
    std::unordered_map<std::string, ResultRow*> rows;
    std::vector<std::string> refs;
    for (ResultRow& row : results_.rows) {
      std::optional<std::string> ref = row.raw ? exampleRef(row.raw->json) : std::nullopt;
      if (!ref) continue;
      rows.emplace(*ref, &row);
      refs.push_back(*std::move(ref));
    }
    std::size_t bytes = 0;
    Result<void> resolved = resolve(refs, [&](const std::string& ref, std::string value) {
      bytes += value.size();
      if (bytes <= limits_.page_bytes) rows.at(ref)->raw = json::Text{std::move(value)};
    });
    if (resolved && bytes > limits_.page_bytes)
      return tooLargeError("ask for fewer rows with limit");
    return resolved;
  }

  Result<void> addChildren(const std::vector<std::string>& ids,
                           const std::unordered_map<std::string, Trial*>& trials) {
    std::unordered_map<std::string, std::string> predict_ids;
    for (const auto& [id, trial] : trials) {
      if (trial->predict_call_id) predict_ids.emplace(id, *trial->predict_call_id);
    }
    std::unordered_map<std::string, Children> children = TRY(childrenOf(ids, predict_ids));
    for (auto& [id, told] : children) {
      Trial& trial = *trials.at(id);
      if (told.predict_call_id) trial.predict_call_id = std::move(told.predict_call_id);
      if (told.latency_seconds) trial.latency_seconds = told.latency_seconds;
      if (told.used.tokens) trial.tokens = told.used.tokens;
      if (told.used.cost) trial.cost = told.used.cost;
      trial.scorer_call_ids = std::move(told.scorer_call_ids);
    }
    return {};
  }

  Result<void> summarize() {
    if (query_.children) {
      std::unordered_map<std::string, LightTrial*> trials;
      std::vector<std::string> ids;
      for (auto& [digest, row] : table_.rows()) {
        for (std::vector<LightTrial>& some : row.trials) {
          for (LightTrial& trial : some) {
            trials.emplace(trial.call_id, &trial);
            ids.push_back(trial.call_id);
          }
        }
      }
      TRY(inChunks(ids, [&](const std::vector<std::string>& chunk) -> Result<void> {
        const std::unordered_map<std::string, Children> children = TRY(childrenOf(chunk, {}));
        for (const auto& [id, told] : children) {
          LightTrial& trial = *trials.at(id);
          if (told.used.tokens) trial.tokens = told.used.tokens;
          if (told.used.cost) trial.cost = told.used.cost;
        }
        return {};
      }));
    }
    ResultSummary summary = table_.summary();
    for (EvaluationSummary& evaluation : summary.evaluations) {
      const auto root = roots_.find(evaluation.evaluation_call_id);
      if (root == roots_.end()) continue;
      const Call& call = root->second;
      const Run run = runOf(call);
      if (!run.evaluation.empty()) evaluation.evaluation = run.evaluation;
      if (!run.model.empty()) evaluation.model = run.model;
      evaluation.display_name = call.display_name;
      evaluation.trace_id = call.trace_id;
      if (call.started_at) {
        std::string time = formatTimestamp(*call.started_at);
        time.replace(time.size() - 1, 1, "+00:00");
        evaluation.started_at = std::move(time);
      }
    }
    results_.summary = std::move(summary);
    return {};
  }

  const ResultPorts& ports_;
  const ResultLimits& limits_;
  const tracing::ProjectScope& project_;
  const ResultQuery& query_;
  ResultTable table_;
  std::unique_ptr<tracing::CallView> view_;
  std::shared_ptr<const pricing::ProjectPrices> prices_;
  std::unordered_map<std::string, Call> roots_;               ///< by evaluation call id
  std::unordered_map<std::string, std::string> root_models_;  ///< by evaluation call id
  std::unordered_map<std::string, std::string_view> models_;  ///< by trial call id
  std::size_t light_bytes_ = 0;
  EvaluationResults results_;
};

}  // namespace

Result<EvaluationResults> ResultReader::read(const tracing::ProjectScope& project,
                                             const ResultQuery& result_query) const {
  RequestedFields fields = TRY(requestedFields(result_query));
  return ResultQueryExecution(ports_, limits_, project, result_query, std::move(fields))
      .readResults();
}

}  // namespace spindle::evaluation
