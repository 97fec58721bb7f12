#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "clickhouse/client/value.h"

namespace spindle::clickhouse {

/// A statement in the form in which ClickHouse receives it.
struct StatementText {
  std::string text;
  /// The values of `{p0:Type}`, …: names of URL fields (`param_p0`) and their texts, not yet
  /// percent-encoded.
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Limits of a statement.
inline constexpr std::size_t kMaxFieldBytes = 64UL << 10;
inline constexpr std::size_t kMaxStatementBytes = 32UL << 20;

/// Replaces each `?` outside of quotes by the next parameter. A parameter becomes `{p0:Type}` with
/// a value in a URL field. Lists, and all parameters of a statement whose values together exceed
/// kMaxFieldBytes, become constants in hexadecimal, because ClickHouse limits the length of URLs.
/// The number of parameters must be the number of question marks.
/// @return kTooLarge for a statement of more than kMaxStatementBytes.
Result<StatementText> statementText(SqlView sql, const std::vector<Value>& params);

}  // namespace spindle::clickhouse
