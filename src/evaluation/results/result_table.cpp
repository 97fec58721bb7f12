#include "evaluation/results/result_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "evaluation/results/result_filter.h"
#include "evaluation/results/trial_json.h"
#include "json/escape.h"
#include "query/field.h"
#include "tracing/ingest/json_path.h"

namespace spindle::evaluation {
namespace {

constexpr std::string_view kScores = "scores.";
constexpr std::string_view kInputs = "inputs.";
constexpr std::string_view kOutput = "output.";
constexpr std::string_view kDigest = "row_digest";
constexpr std::size_t kMaxComparedEvaluations = 10;
/// Maximum number of bootstrap draws per request; they take some seconds.
constexpr std::int64_t kMaxDraws = 500'000'000;

/// Returns the index of the evaluation in the query.
std::optional<std::size_t> indexOfEvaluation(const ResultQuery& result_query, std::string_view id) {
  const auto found =
      std::find(result_query.evaluations.begin(), result_query.evaluations.end(), id);
  if (found == result_query.evaluations.end()) return std::nullopt;
  return static_cast<std::size_t>(found - result_query.evaluations.begin());
}

/// Adds a field. Returns false for an unsupported field.
bool addRequestedField(RequestedFields& fields, const std::string& field) {
  const auto add = [](std::vector<std::string>& list, std::string name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(std::move(name));
  };
  if (field.starts_with(kInputs)) {
    add(fields.inputs, field.substr(kInputs.size()));
  } else if (field.starts_with(kOutput)) {
    add(fields.output, field.substr(kOutput.size()));
  } else {
    return field.starts_with(kScores);
  }
  return true;
}

std::optional<std::string> jsonAtField(std::string_view json, std::string_view field) {
  const Result<std::vector<std::string>> path = query::splitPath(field);
  return path ? tracing::jsonAt(json, *path) : std::nullopt;
}

std::size_t indexOfField(const std::vector<std::string>& fields, std::string_view field) {
  return static_cast<std::size_t>(std::find(fields.begin(), fields.end(), field) - fields.begin());
}

/// The sort value of a row; rows without a value come last.
struct SortValue {
  std::optional<double> number = {};
  std::string text = {};

  bool present() const { return number || !text.empty(); }
};

/// Returns a negative number, zero or a positive number. Numbers come before texts.
int compareValues(const SortValue& a, const SortValue& b) {
  if (a.number && b.number) return *a.number < *b.number ? -1 : (*a.number > *b.number ? 1 : 0);
  if (a.number || b.number) return a.number ? -1 : 1;
  return a.text.compare(b.text);
}

std::optional<double> meanScore(const std::vector<LightTrial>& trials, std::string_view field) {
  double sum = 0;
  std::size_t count = 0;
  for (const LightTrial& trial : trials) {
    const std::optional<std::string> json = jsonAtField(trial.scores, field);
    const std::optional<double> number = json ? numberOf(*json) : std::nullopt;
    if (!number) continue;
    sum += *number;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

/// Returns the first value that is not empty.
SortValue firstValue(const std::vector<std::optional<std::string>>& values) {
  for (const std::optional<std::string>& value : values) {
    if (!value) continue;
    SortValue found{numberOf(*value), comparedText(*value)};
    if (found.present()) return found;
  }
  return {};
}

class Sorter {
 public:
  Sorter(const ResultQuery& result_query, const RequestedFields& fields)
      : query_(result_query), fields_(fields) {}

  SortValue valueOf(const LightRow& row, const ResultSort& sort) const {
    const std::string_view field = sort.field;
    if (field.starts_with(kInputs))
      return firstValue({row.inputs[indexOfField(fields_.inputs, field.substr(kInputs.size()))]});
    std::vector<std::optional<std::string>> outputs;
    std::vector<double> means;
    for (std::size_t i = 0; i < row.trials.size(); ++i) {
      if (sort.evaluation_call_id && query_.evaluations[i] != *sort.evaluation_call_id) continue;
      if (field.starts_with(kOutput)) {
        const std::size_t place = indexOfField(fields_.output, field.substr(kOutput.size()));
        for (const LightTrial& trial : row.trials[i]) outputs.push_back(trial.outputs[place]);
      } else if (const auto mean = meanScore(row.trials[i], field.substr(kScores.size()))) {
        means.push_back(*mean);
      }
    }
    if (field.starts_with(kOutput)) return firstValue(outputs);
    if (means.empty()) return {};
    const auto [least, most] = std::minmax_element(means.begin(), means.end());
    if (sort.difference) return {*most - *least};
    double sum = 0;
    for (const double mean : means) sum += mean;
    return {sum / static_cast<double>(means.size())};
  }

 private:
  const ResultQuery& query_;
  const RequestedFields& fields_;
};

/// The totals of one leaf of the scores.
struct LeafTotals {
  std::optional<ScoreLeaf::Kind> kind;
  double sum = 0;
  std::int64_t numbers = 0;
  std::int64_t passes = 0;
  std::int64_t known = 0;
};

std::string_view nameOf(ScoreLeaf::Kind kind) {
  switch (kind) {
    case ScoreLeaf::Kind::kBinary:
      return "binary";
    case ScoreLeaf::Kind::kContinuous:
      return "continuous";
    case ScoreLeaf::Kind::kText:
      return "text";
  }
  return "";
}

using Metric = std::pair<std::string, std::optional<std::string>>;  ///< scorer and path

std::string keyOf(const Metric& metric) {
  return metric.second ? metric.first + "." + *metric.second : metric.first;
}

ScorerStats statsOf(const Metric& metric, const LeafTotals& totals, std::int64_t trials) {
  ScorerStats stats;
  stats.scorer = metric.first;
  stats.path = metric.second;
  stats.value_type = std::string(nameOf(*totals.kind));
  stats.trials = trials;
  stats.numbers = totals.numbers;
  if (totals.numbers > 0) stats.mean = totals.sum / static_cast<double>(totals.numbers);
  stats.passes = totals.passes;
  stats.known = totals.known;
  if (totals.known > 0) {
    stats.pass_rate = static_cast<double>(totals.passes) / static_cast<double>(totals.known);
    stats.coverage = static_cast<double>(totals.known) / static_cast<double>(trials);
  }
  return stats;
}

void addLeaf(LeafTotals& totals, const ScoreLeaf& leaf) {
  if (!totals.kind) totals.kind = leaf.kind;
  if (leaf.kind == ScoreLeaf::Kind::kBinary) {
    ++totals.known;
    if (leaf.number != 0) ++totals.passes;
  } else if (leaf.kind == ScoreLeaf::Kind::kContinuous) {
    ++totals.numbers;
    totals.sum += leaf.number;
  }
}

/// Adds a trial to the sums of its evaluation and to the totals of the leaves of its scores.
void addTrialSums(const LightTrial& trial,
                  EvaluationSummary& sums,
                  std::map<Metric, LeafTotals>& leaves) {
  ++sums.trials;
  if (trial.tokens) sums.tokens = sums.tokens.value_or(0) + *trial.tokens;
  if (trial.cost) sums.cost = sums.cost.value_or(0) + *trial.cost;
  for (const ScoreLeaf& leaf : leavesOf(trial.scores))
    addLeaf(leaves[{leaf.scorer, leaf.path}], leaf);
}

/// Returns the mean of every number in the scores of the trials.
std::map<Metric, double> meansOf(const std::vector<LightTrial>& trials) {
  std::map<Metric, std::pair<double, std::size_t>> sums;
  for (const LightTrial& trial : trials) {
    for (const ScoreLeaf& leaf : leavesOf(trial.scores)) {
      if (leaf.kind == ScoreLeaf::Kind::kText) continue;
      auto& [sum, count] = sums[{leaf.scorer, leaf.path}];
      sum += leaf.number;
      ++count;
    }
  }
  std::map<Metric, double> means;
  for (const auto& [metric, sum] : sums)
    means[metric] = sum.first / static_cast<double>(sum.second);
  return means;
}

/// Returns the means of the rows that are in the baseline and in another evaluation, by index of
/// the other evaluation and by metric. The pairs have the order of the rows.
std::vector<std::map<Metric, std::vector<PairedRow>>> pairsWithBaseline(
    const std::vector<const LightRow*>& rows, std::size_t baseline, std::size_t evaluations) {
  std::vector<std::map<Metric, std::vector<PairedRow>>> pairs(evaluations);
  for (const LightRow* row : rows) {
    if (!row->isIn(baseline)) continue;
    const std::map<Metric, double> before = meansOf(row->trials[baseline]);
    for (std::size_t i = 0; i < evaluations; ++i) {
      if (i == baseline) continue;
      for (const auto& [metric, mean] : meansOf(row->trials[i])) {
        const auto known = before.find(metric);
        if (known == before.end()) continue;
        pairs[i][metric].push_back({row->digest, known->second, mean});
      }
    }
  }
  return pairs;
}

/// Returns true if the comparison includes the metric: it is named, or no metrics are named.
bool includesMetric(const CompareQuery& asked, const Metric& metric) {
  if (!asked.metrics) return true;
  return std::find(asked.metrics->begin(), asked.metrics->end(), keyOf(metric)) !=
         asked.metrics->end();
}

/// Reduces the rows to the page of the query: its offset and its limit.
void keepPage(const ResultQuery& result_query, std::vector<WorseRow>& rows) {
  const auto first = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(static_cast<std::size_t>(result_query.offset), rows.size()));
  rows.erase(rows.begin(), rows.begin() + first);
  if (result_query.limit && rows.size() > static_cast<std::size_t>(*result_query.limit))
    rows.resize(static_cast<std::size_t>(*result_query.limit));
}

}  // namespace

Result<RequestedFields> requestedFields(const ResultQuery& result_query) {
  RequestedFields fields;
  for (const ResultSort& sort : result_query.sort) {
    if (!addRequestedField(fields, sort.field)) {
      return Error::invalidArgument("Unsupported sort field: '" + sort.field +
                                    "'. Supported: scores.*, inputs.*, output.*.");
    }
    if (sort.difference && !sort.field.starts_with(kScores))
      return Error::invalidArgument("Sort mode 'difference' is only supported for scores.*");
  }
  for (const ResultFilter& filter : result_query.filters) {
    std::optional<std::string> unknown;
    query::visit(filter.query.expression, [&](const query::Expression& node) {
      if (node.op == query::Operator::kField && node.field != kDigest &&
          !addRequestedField(fields, node.field))
        unknown = node.field;
    });
    if (unknown) {
      return Error::invalidArgument("Unsupported filter field: '" + *unknown +
                                    "'. Supported: row_digest, scores.*, inputs.*, output.*.");
    }
  }
  return fields;
}

LightRow& ResultTable::row(const std::string& digest) {
  const auto [found, fresh] = rows_.try_emplace(digest);
  if (fresh) {
    found->second.digest = digest;
    found->second.inputs.resize(fields_.inputs.size());
    found->second.trials.resize(query_.evaluations.size());
  }
  return found->second;
}

bool ResultTable::isInAll(const LightRow& row) const {
  return std::none_of(row.trials.begin(), row.trials.end(),
                      [](const auto& trials) { return trials.empty(); });
}

std::optional<std::string> ResultTable::fieldOf(const LightRow& row,
                                                std::size_t evaluation,
                                                std::string_view field) const {
  if (field == kDigest) return json::quoted(row.digest);
  if (field.starts_with(kInputs))
    return row.inputs[indexOfField(fields_.inputs, field.substr(kInputs.size()))];
  const bool is_output = field.starts_with(kOutput);
  for (const LightTrial& trial : row.trials[evaluation]) {
    std::optional<std::string> value =
        is_output ? trial.outputs[indexOfField(fields_.output, field.substr(kOutput.size()))]
                  : jsonAtField(trial.scores, field.substr(kScores.size()));
    if (value && !comparedText(*value).empty()) return value;
  }
  return std::nullopt;
}

Result<bool> ResultTable::passes(const LightRow& row,
                                 std::size_t evaluation,
                                 const std::vector<const ResultFilter*>& filters) const {
  if (!row.isIn(evaluation)) return false;
  for (const ResultFilter* filter : filters) {
    const std::optional<bool> truth =
        TRY(holds(filter->query.expression,
                  [&](std::string_view field) { return fieldOf(row, evaluation, field); }));
    if (truth.value_or(false) != query_.all_filters) return !query_.all_filters;
  }
  return query_.all_filters;
}

Result<bool> ResultTable::passes(const LightRow& row) const {
  std::map<std::optional<std::string>, std::vector<const ResultFilter*>> groups;
  for (const ResultFilter& filter : query_.filters)
    groups[filter.evaluation_call_id].push_back(&filter);
  for (const auto& [id, filters] : groups) {
    bool any = false;
    for (std::size_t i = 0; i < row.trials.size() && !any; ++i) {
      if (id && query_.evaluations[i] != *id) continue;
      const bool passed = TRY(passes(row, i, filters));
      any = passed;
    }
    if (!any) return false;
  }
  return true;
}

Result<std::vector<const LightRow*>> ResultTable::selected() const {
  const bool intersection = query_.require_intersection && query_.evaluations.size() > 1;
  struct Candidate {
    const LightRow* row;
    std::vector<SortValue> values;
  };
  std::vector<Candidate> candidates;
  const Sorter sorter(query_, fields_);
  for (const auto& [digest, row] : rows_) {
    if (intersection && !isInAll(row)) continue;
    if (!TRY(passes(row))) continue;
    Candidate candidate{&row, {}};
    for (const ResultSort& sort : query_.sort)
      candidate.values.push_back(sorter.valueOf(row, sort));
    candidates.push_back(std::move(candidate));
  }
  // The rows are sorted by digest already, and a stable sort keeps that order for equal rows.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [this](const Candidate& a, const Candidate& b) {
                     for (std::size_t i = 0; i < query_.sort.size(); ++i) {
                       const SortValue& left = a.values[i];
                       const SortValue& right = b.values[i];
                       if (left.present() != right.present()) return left.present();
                       const int order = left.present() ? compareValues(left, right) : 0;
                       if (order != 0) return query_.sort[i].descending ? order > 0 : order < 0;
                     }
                     return false;
                   });
  std::vector<const LightRow*> rows;
  rows.reserve(candidates.size());
  for (const Candidate& candidate : candidates) rows.push_back(candidate.row);
  return rows;
}

ResultSummary ResultTable::summary() const {
  const bool intersection = query_.summary_intersection.value_or(query_.require_intersection) &&
                            query_.evaluations.size() > 1;
  ResultSummary summary;
  std::vector<std::map<Metric, LeafTotals>> leaves(query_.evaluations.size());
  std::vector<EvaluationSummary> sums(query_.evaluations.size());
  for (const auto& [digest, row] : rows_) {
    if (intersection && !isInAll(row)) continue;
    ++summary.rows;
    for (std::size_t i = 0; i < row.trials.size(); ++i) {
      for (const LightTrial& trial : row.trials[i]) addTrialSums(trial, sums[i], leaves[i]);
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].trials == 0) continue;
    sums[i].evaluation_call_id = query_.evaluations[i];
    for (const auto& [metric, totals] : leaves[i])
      sums[i].scorers.push_back(statsOf(metric, totals, sums[i].trials));
    summary.evaluations.push_back(std::move(sums[i]));
  }
  return summary;
}

Result<ResultComparison> ResultTable::compare(const std::vector<const LightRow*>& rows,
                                              const CompareQuery& asked) const {
  const std::size_t count = query_.evaluations.size();
  if (count < 2 || count > kMaxComparedEvaluations)
    return Error::invalidArgument("compare takes 2 to 10 evaluations");
  const std::string& baseline_id = asked.baseline.value_or(query_.evaluations.front());
  const std::optional<std::size_t> baseline = indexOfEvaluation(query_, baseline_id);
  if (!baseline) {
    return Error::invalidArgument("baseline_evaluation_call_id is not among the evaluations: " +
                                  baseline_id);
  }
  // Sort by digest: the intervals depend on the order, but must not depend on the sort keys.
  std::vector<const LightRow*> ordered = rows;
  std::sort(ordered.begin(), ordered.end(),
            [](const LightRow* a, const LightRow* b) { return a->digest < b->digest; });
  const std::vector<std::map<Metric, std::vector<PairedRow>>> pairs =
      pairsWithBaseline(ordered, *baseline, count);
  ResultComparison comparison{asked.bootstrap, baseline_id, {}};
  std::int64_t draws = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == *baseline) continue;
    RunComparison run{query_.evaluations[i], {}};
    for (const auto& [metric, paired] : pairs[i]) {
      if (!includesMetric(asked, metric)) continue;
      draws += static_cast<std::int64_t>(paired.size()) * asked.bootstrap.resamples;
      if (draws > kMaxDraws)
        return Error::invalidArgument("Too many rows to compare: lower resamples or name metrics");
      MetricComparison one{comparePaired(paired, asked.bootstrap), metric.first, metric.second,
                           worseRows(paired)};
      keepPage(query_, one.worse);
      run.metrics.push_back(std::move(one));
    }
    comparison.runs.push_back(std::move(run));
  }
  return comparison;
}

}  // namespace spindle::evaluation
