#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/span_column.h"
#include "base/result.h"
#include "base/time.h"
#include "query/expression.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::agents {

/// How long spans `c` took, in whole milliseconds: 0 while they are open or end before they begin.
SqlView durationSql();

/// ` AND …` for spans `c` that start at `after` or later and before `before`.
query::Sql windowCondition(std::optional<Timestamp> after, std::optional<Timestamp> before);

/// What can be asked of spans `c` in queries: columns by their names or by the attributes that they
/// come from, what follows from them, and custom attributes.
class SpanFields final : public query::Fields {
 public:
  Result<query::Field> resolve(std::string_view path) const override;
};

/// Names of custom attributes say nothing of their type: it is that of the literals which they are
/// compared with. Writes the map into such names. @return kInvalidArgument where no literal tells,
/// for null where it has no meaning, and for lists of nothing or of several types.
Result<void> addCustomTypes(query::Query& query);

/// A column, or a custom attribute, of spans `c`.
query::Field fieldOf(const SpanColumn& column);
query::Field fieldOf(CustomType type, std::string_view key);

/// `duration_ms`, `total_tokens`; empty for other names.
std::optional<query::Field> derivedField(std::string_view name);

}  // namespace spindle::agents
