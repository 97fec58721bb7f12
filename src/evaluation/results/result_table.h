#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "evaluation/results/result_query.h"

namespace spindle::evaluation {

/// The fields that filters and sort keys use, in addition to the scores.
struct RequestedFields {
  std::vector<std::string> inputs;  ///< without their prefix
  std::vector<std::string> output;

  bool any() const { return !inputs.empty() || !output.empty(); }
};
/// Returns the fields of a query. @return kInvalidArgument for a field that filters or sort keys do
/// not support, and for the mode `difference` on fields other than scores.
Result<RequestedFields> requestedFields(const ResultQuery& result_query);

/// A trial without its payloads: the part that is kept in memory for all trials.
struct LightTrial {
  std::string call_id;
  std::string scores;                                    ///< JSON
  std::vector<std::optional<std::string>> outputs = {};  ///< JSON, by RequestedFields::output
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
};

struct LightRow {
  std::string digest;
  std::optional<std::string> example_ref = {};
  std::vector<std::optional<std::string>> inputs = {};  ///< JSON, by RequestedFields::inputs
  std::vector<std::vector<LightTrial>> trials;          ///< by index of the evaluation

  bool isIn(std::size_t evaluation) const { return !trials[evaluation].empty(); }
};

/// The rows of some evaluations in memory. Filters, sorts, summarizes and compares them without any
/// I/O.
class ResultTable {
 public:
  /// The ResultQuery must outlive this object.
  ResultTable(const ResultQuery& result_query, RequestedFields fields)
      : query_(result_query), fields_(std::move(fields)) {}

  const RequestedFields& fields() const { return fields_; }
  /// Returns the row with this digest; inserts a new row.
  LightRow& row(const std::string& digest);
  std::map<std::string, LightRow>& rows() { return rows_; }

  /// Returns the rows that match the filters, sorted, before paging. @return the errors of filters.
  Result<std::vector<const LightRow*>> selected() const;
  /// Returns the trials, score statistics, tokens and costs of the evaluations.
  ResultSummary summary() const;
  /// Compares the evaluations over these rows. @return kInvalidArgument for a baseline that is not
  /// among the evaluations, too few or too many evaluations, and too much work for one request.
  Result<ResultComparison> compare(const std::vector<const LightRow*>& rows,
                                   const CompareQuery& asked) const;

 private:
  bool isInAll(const LightRow& row) const;
  Result<bool> passes(const LightRow& row) const;
  Result<bool> passes(const LightRow& row,
                      std::size_t evaluation,
                      const std::vector<const ResultFilter*>& filters) const;
  std::optional<std::string> fieldOf(const LightRow& row,
                                     std::size_t evaluation,
                                     std::string_view field) const;

  const ResultQuery& query_;
  const RequestedFields fields_;
  std::map<std::string, LightRow> rows_;
};

}  // namespace spindle::evaluation
