#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evaluation/result_question.h"

namespace spindle::evaluation {

/// The values that order and filters look at, beside the scores.
struct AskedFields {
  std::vector<std::string> inputs;  ///< without their prefix
  std::vector<std::string> output;

  bool any() const { return !inputs.empty() || !output.empty(); }
};
/// @return kInvalidArgument for a field that results cannot be sorted or filtered by, and for a
/// difference of something else than scores.
Result<AskedFields> askedFields(const ResultQuestion& question);

/// A trial without its payloads: what has to be known of all of them.
struct LightTrial {
  std::string call_id;
  std::string scores;                                    ///< JSON
  std::vector<std::optional<std::string>> outputs = {};  ///< JSON, by AskedFields::output
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
};

struct LightRow {
  std::string digest;
  std::optional<std::string> example_ref = {};
  std::vector<std::optional<std::string>> inputs = {};  ///< JSON, by AskedFields::inputs
  std::vector<std::vector<LightTrial>> trials;          ///< by place of the evaluation

  bool isIn(std::size_t evaluation) const { return !trials[evaluation].empty(); }
};

/// The rows of some evaluations. Pure; order, filters, sums and comparisons need nothing else.
class ResultTable {
 public:
  /// The question must outlive this.
  ResultTable(const ResultQuestion& question, AskedFields fields)
      : question_(question), fields_(std::move(fields)) {}

  const AskedFields& fields() const { return fields_; }
  /// The row of that digest, made when it is new.
  LightRow& row(const std::string& digest);
  std::map<std::string, LightRow>& rows() { return rows_; }

  /// The rows of the answer, in its order, before paging. @return what filters return.
  Result<std::vector<const LightRow*>> selected() const;
  /// What is known of the evaluations: their trials, scores, tokens and costs.
  ResultSummary summary() const;
  /// Of the rows of the answer. @return kInvalidArgument for a baseline that is not among the
  /// evaluations, too few or too many of them, and more work than one answer may be.
  Result<ResultComparison> compare(const std::vector<const LightRow*>& rows,
                                   const CompareQuestion& asked) const;

 private:
  bool isInAll(const LightRow& row) const;
  Result<bool> passes(const LightRow& row) const;
  Result<bool> passes(const LightRow& row,
                      std::size_t evaluation,
                      const std::vector<const ResultFilter*>& filters) const;
  std::optional<std::string> fieldOf(const LightRow& row,
                                     std::size_t evaluation,
                                     std::string_view field) const;

  const ResultQuestion& question_;
  const AskedFields fields_;
  std::map<std::string, LightRow> rows_;
};

}  // namespace spindle::evaluation
