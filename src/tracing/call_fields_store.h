#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/field.h"
#include "tracing/call_selection.h"

namespace spindle::tracing {

/// Returns the column of a call that holds JSON of that name, if there is one: inputs, output,
/// attributes or summary.
std::optional<SqlName> payloadColumn(std::string_view name);

/// Values that stand in for references: the object that each ref names, as JSON.
struct ExpandedRefs {
  std::vector<std::string> path;    ///< fields below it are fields of the values
  SqlName column;                   ///< of the call, where the refs stand
  std::vector<std::string> place;   ///< where in the column
  std::vector<std::string> refs;    ///< internal
  std::vector<std::string> values;  ///< of the refs, in the same order
};

/// The fields of a call (tracing.md §2.5) over rows named `c`.
class CallFields final : public query::Fields {
 public:
  /// `feedback` resolves what follows `feedback.`, `queues` the queue of a call's items; both may
  /// be null where there is none. Everything must outlive the fields.
  CallFields(std::string_view project, const query::Fields* feedback, const query::Fields* queues)
      : project_(project), feedback_(feedback), queues_(queues) {}

  /// From here on, fields below the path are looked up in the objects that the refs name.
  void expand(ExpandedRefs expanded) { expanded_.push_back(std::move(expanded)); }

  /// @return kUnprocessable for a field that does not exist or cannot be used here.
  Result<query::Field> resolve(std::string_view path) const override;

 private:
  Result<query::Field> dynamicField(SqlName column, std::vector<std::string> parts) const;

  std::string project_;
  const query::Fields* feedback_;
  const query::Fields* queues_;
  std::vector<ExpandedRefs> expanded_;
};

/// The whole milliseconds that a call `c` took; NULL while it runs.
SqlView latencySql();

/// The condition that a filter is, over rows named `c`; `true` when it asks nothing.
query::Sql compileFilter(const CallFilter& filter);

/// True when the filter names calls or traces: few rows, found without looking at most of the rest.
bool namesFewCalls(const CallFilter& filter);

}  // namespace spindle::tracing
