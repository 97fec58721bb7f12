#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/results/comparison.h"
#include "json/writer.h"
#include "query/expression.h"

namespace spindle::evaluation {

struct ResultSort {
  std::string field;  ///< `scores.…`, `inputs.…` or `output.…`
  bool descending = false;
  std::optional<std::string> evaluation_call_id = {};  ///< empty: all evaluations
  bool difference = false;  ///< sort by the greatest minus the least value of the evaluations
};

struct ResultFilter {
  query::Query query;
  std::optional<std::string> evaluation_call_id = {};  ///< empty: any evaluation
};

struct CompareQuery {
  std::optional<std::string> baseline = {};              ///< empty: the first evaluation
  std::optional<std::vector<std::string>> metrics = {};  ///< `scorer` or `scorer.path`; empty: all
  BootstrapOptions bootstrap = {};
};

/// A query for the results of evaluations (tracing.md §6.6).
struct ResultQuery {
  std::vector<std::string> evaluations;  ///< ids of their calls, without duplicates
  bool require_intersection = false;
  bool raw_rows = false;
  bool resolve_rows = false;
  bool rows = true;
  bool summary = false;
  std::optional<bool> summary_intersection = {};
  bool children = true;
  bool costs = false;
  std::vector<ResultSort> sort = {};
  std::vector<ResultFilter> filters = {};
  bool all_filters = false;  ///< true: all filters of an evaluation must match; false: one of them
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  std::optional<CompareQuery> compare = {};
};

/// One prediction with its scores. Payloads have internal references.
struct Trial {
  std::string call_id;
  std::optional<std::string> predict_call_id = {};
  json::Text model_output = {"null"};
  json::Text scores = {"{}"};
  std::optional<double> latency_seconds = {};
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
  std::vector<std::pair<std::string, std::string>> scorer_call_ids = {};
  std::optional<json::Text> genai_spans = {};
};

struct RowEvaluation {
  std::string evaluation_call_id;
  std::vector<Trial> trials;
};
struct ResultRow {
  std::string digest;
  std::optional<json::Text> raw = {};
  std::vector<RowEvaluation> evaluations = {};
};

/// Statistics of one value of a scorer over all trials of an evaluation.
struct ScorerStats {
  std::string scorer;
  std::optional<std::string> path = {};
  std::optional<std::string> value_type = {};  ///< `binary`, `continuous` or `text`
  std::int64_t trials = 0;
  std::int64_t numbers = 0;
  std::optional<double> mean = {};
  std::int64_t passes = 0;
  std::int64_t known = 0;
  std::optional<double> pass_rate = {};
  std::optional<double> coverage = {};
};

struct EvaluationSummary {
  std::string evaluation_call_id;
  std::int64_t trials = 0;
  std::vector<ScorerStats> scorers = {};
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
  std::optional<std::string> evaluation = {};  ///< internal reference, if known
  std::optional<std::string> model = {};       ///< as above
  std::optional<std::string> display_name = {};
  std::optional<std::string> trace_id = {};
  std::optional<std::string> started_at = {};
};
struct ResultSummary {
  std::int64_t rows = 0;
  std::vector<EvaluationSummary> evaluations = {};
};

struct MetricComparison : PairedComparison {
  std::string scorer;
  std::optional<std::string> path = {};
  std::vector<WorseRow> worse = {};  ///< a page of the rows with a lower value
};
struct RunComparison {
  std::string evaluation_call_id;
  std::vector<MetricComparison> metrics = {};
};
struct ResultComparison : BootstrapOptions {
  std::string baseline;
  std::vector<RunComparison> runs = {};
};

struct EvaluationResults {
  std::vector<ResultRow> rows = {};
  std::int64_t total_rows = 0;
  std::optional<ResultSummary> summary = {};
  std::vector<std::string> warnings = {};
  std::optional<ResultComparison> comparison = {};
};

}  // namespace spindle::evaluation
