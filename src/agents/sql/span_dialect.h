#pragma once

#include <string>
#include <vector>

#include "agents/store/span.h"
#include "base/core/sql_text.h"
#include "query/dialect.h"
#include "query/sql.h"

namespace spindle::agents {

/// The SQL of one engine for queries of spans, in addition to query::Dialect. Queries also use what
/// both engines understand: FILTER, window functions, CAST to BIGINT, DOUBLE and VARCHAR, numbers
/// of columns in GROUP BY and ORDER BY. Immutable; lives as long as the program.
class SpanDialect {
 public:
  SpanDialect() = default;
  virtual ~SpanDialect() = default;
  SpanDialect(const SpanDialect&) = delete;
  SpanDialect& operator=(const SpanDialect&) = delete;

  /// Returns the dialect of values and conditions.
  virtual const query::Dialect& values() const = 0;

  /// Returns the custom attribute of spans `c`; NULL if a span does not have it.
  virtual query::Sql customValue(CustomType type, const std::string& key) const = 0;
  /// Returns a column of a select list that repeats a span `c` for each key of a map.
  virtual query::Sql customKeys(CustomType type) const = 0;

  /// Returns the condition that a text is one of these, at least one.
  virtual query::Sql isOneOf(const query::Sql& text, std::vector<std::string> texts) const = 0;
  /// Returns one value for several keys. Keys that are NULL equal each other.
  virtual query::Sql packed(const std::vector<query::Sql>& keys) const = 0;
  /// Returns the condition that two values are equal or both NULL.
  virtual query::Sql areSame(const query::Sql& left, const query::Sql& right) const = 0;

  // Aggregates. `filter` is ` FILTER (WHERE …)` or empty.
  /// Returns the sum of whole numbers; NULL if it does not fit into 64 bits.
  virtual query::Sql wholeSum(const query::Sql& numbers, const query::Sql& filter) const = 0;
  /// Returns the sorted, different texts of a column of spans `c`, without the empty one.
  virtual query::Sql distinctTexts(SqlName column) const = 0;
  /// Returns the first or last non-empty text of a column of spans `c`, in the order of a time.
  virtual query::Sql earliestText(SqlName column, SqlView time) const = 0;
  virtual query::Sql latestText(SqlName column, SqlView time) const = 0;

  /// Returns the aggregates over the spans `c` of one trace that give the identity of the trace.
  virtual SqlView identityOfTrace() const = 0;
  // The values of identityOfTrace() in a row `d`.
  virtual SqlView agentName() const = 0;
  virtual SqlView agentVersion() const = 0;
  virtual SqlView agentId() const = 0;

  // Search. Each returns columns of a select list that repeat a span `c` for each item of a column,
  // and `number`, the place of the item.
  /// `role` and `content` of messages.
  virtual query::Sql messagesOf(SqlName column) const = 0;
  /// `content` of a list of texts.
  virtual query::Sql textsOf(SqlName column) const = 0;
  /// Returns the MD5 digest of a text in lower-case hexadecimal.
  virtual query::Sql md5(SqlView text) const = 0;

  /// Returns the number in a JSON object of feedback; NULL if it is missing.
  virtual query::Sql rating(SqlView json, const std::string& key) const = 0;
};

/// Returns the dialect of DuckDB.
const SpanDialect& duckDbSpanDialect();
/// Returns the dialect of ClickHouse. Statements need the settings of clickHouseNullSettings().
const SpanDialect& clickHouseSpanDialect();
/// Returns the settings with which ClickHouse treats NULL as the SQL standard requires.
SqlView clickHouseNullSettings();

}  // namespace spindle::agents
