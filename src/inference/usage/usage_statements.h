#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "inference/usage/usage_report.h"
#include "pricing/cost_arithmetic.h"
#include "query/dialect.h"
#include "query/sql.h"

namespace spindle::inference {

/// The usage in an engine.
struct UsageRows {
  query::Sql source;  ///< the FROM item, with the alias `c`
  const query::Dialect& dialect;
};

/// Returns the statement of the counts and percentiles of each group, sorted by their keys.
query::Sql groupsStatement(const UsageRows& rows, const UsageReportQuery& report_query);

/// Returns the statement of the tokens of each group by project and model, sorted by the keys of
/// the groups.
query::Sql costsStatement(const UsageRows& rows, const UsageReportQuery& report_query);

/// Makes a report of the rows of both statements, the groups first.
class UsageReportReader {
 public:
  /// Both must outlive the reader.
  UsageReportReader(const UsageReportQuery& report_query, const PricesOfProject& prices)
      : query_(report_query), prices_(prices) {}

  /// Adds a group. `Row` is the cursor of an engine. @return false if no more rows are needed.
  template <class Row>
  bool addGroup(const Row& row) {
    if (report_.rows.size() == query_.limit) {
      report_.has_more = true;
      return false;
    }
    const std::size_t count = query_.group_by.size();
    const auto number = [&row](std::size_t column) -> std::optional<double> {
      if (row.isNull(column)) return std::nullopt;
      return row.real(column);
    };
    UsageRow& group = report_.rows.emplace_back();
    group.keys = keysAt(row);
    group.requests = row.integer(count);
    group.errors = row.integer(count + 1);
    group.cancelled = row.integer(count + 2);
    group.tokens.prompt = row.integer(count + 3);
    group.tokens.completion = row.integer(count + 4);
    group.tokens.cached = row.integer(count + 5);
    group.tokens.reasoning = row.integer(count + 6);
    group.latency_mean = number(count + 7);
    group.latency_p50 = number(count + 8);
    group.latency_p95 = number(count + 9);
    group.latency_p99 = number(count + 10);
    group.first_token_p50 = number(count + 11);
    group.first_token_p95 = number(count + 12);
    return true;
  }

  /// Adds the cost of a project and a model to its group. @return false if no more rows are needed;
  /// an error of the prices.
  template <class Row>
  Result<bool> addCost(const Row& row) {
    const std::size_t count = query_.group_by.size();
    UsageRow* const group = groupOf(keysAt(row));
    if (group == nullptr) return next_ < report_.rows.size();
    pricing::Usage usage;
    usage.requests = row.integer(count + 2);
    usage.prompt_tokens = row.integer(count + 3);
    usage.completion_tokens = row.integer(count + 4);
    usage.cache_read_input_tokens = row.integer(count + 5);
    TRY(addCost(*group, std::string(row.text(count)), row.text(count + 1), usage));
    return true;
  }

  UsageReport finish() { return std::move(report_); }

 private:
  template <class Row>
  std::vector<std::string> keysAt(const Row& row) const {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < query_.group_by.size(); ++i) keys.emplace_back(row.text(i));
    return keys;
  }

  /// Returns the group, or null for one that is not in the report. Calls are in the order of keys.
  UsageRow* groupOf(const std::vector<std::string>& keys);
  Result<void> addCost(UsageRow& group,
                       const std::string& project_id,
                       std::string_view model,
                       const pricing::Usage& usage);

  const UsageReportQuery& query_;
  const PricesOfProject& prices_;
  std::map<std::string, std::shared_ptr<const pricing::ProjectPrices>> known_prices_;
  UsageReport report_;
  std::size_t next_ = 0;  ///< the group of the last cost
};

}  // namespace spindle::inference
