#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "query/dialect.h"
#include "query/field.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// Returns the JSON column of a call with that name (inputs, output, attributes or summary), or
/// nothing.
std::optional<SqlName> payloadColumn(std::string_view name);

/// Objects that replace references: the value of each ref, as JSON.
struct ExpandedRefs {
  std::vector<std::string> path;    ///< fields below this path are fields of the values
  SqlName column;                   ///< column of the call that contains the refs
  std::vector<std::string> place;   ///< path of the refs in the column
  std::vector<std::string> refs;    ///< internal
  std::vector<std::string> values;  ///< values of the refs, in the same order
};

/// Resolves the fields of a call (tracing.md §2.5) over rows named `c`.
class CallFields final : public query::Fields {
 public:
  /// `feedback` resolves fields that start with `feedback.`; `queues` resolves the queue of a
  /// call's items. Either may be null. Everything must outlive the fields.
  CallFields(std::string_view project,
             const query::Fields* feedback,
             const query::Fields* queues,
             const query::Dialect& dialect = query::duckDbDialect())
      : project_(project), feedback_(feedback), queues_(queues), dialect_(dialect) {}

  /// Makes later resolve() calls look up fields below the path in the objects that the refs name.
  void expand(ExpandedRefs expanded) { expanded_.push_back(std::move(expanded)); }

  /// @return kUnprocessable for a field that does not exist or cannot be used here.
  Result<query::Field> resolve(std::string_view path) const override;
  const query::Dialect& dialect() const override { return dialect_; }

 private:
  Result<query::Field> dynamicField(SqlName column, std::vector<std::string> parts) const;

  std::string project_;
  const query::Fields* feedback_;
  const query::Fields* queues_;
  const query::Dialect& dialect_;
  std::vector<ExpandedRefs> expanded_;
};

/// Returns the SQL of the latency of a call `c` in whole milliseconds; NULL while the call runs.
SqlText latencySql(const query::Dialect& dialect = query::duckDbDialect());

/// Returns the SQL of the name of a call `c`: the display name, else the name of the op.
SqlText traceNameSql(const query::Dialect& dialect = query::duckDbDialect());

/// Returns the SQL of the member `usage` of the summary of a call `c`; NULL if there is none or it
/// is very large.
SqlText usageSql(const query::Dialect& dialect = query::duckDbDialect());

/// Returns the condition of a filter over rows named `c`; `true` for an empty filter.
query::Sql compileFilter(const CallFilter& filter,
                         const query::Dialect& dialect = query::duckDbDialect());

/// Returns true if the filter names calls or traces: few rows, found without scanning most others.
bool isSelective(const CallFilter& filter);

}  // namespace spindle::tracing
