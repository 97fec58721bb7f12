#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/sql/span_dialect.h"
#include "agents/store/span_column.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "query/expression.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::agents {

/// Returns the SQL of the duration of spans `c` in whole milliseconds: 0 if a span is open or ends
/// before it starts.
query::Sql durationSql(const SpanDialect& dialect);

/// Returns ` AND …`: spans `c` that start at `after` or later and before `before`.
query::Sql windowCondition(std::optional<Timestamp> after, std::optional<Timestamp> before);

/// The fields of spans `c` in queries: columns by their names or by the attributes that fill them,
/// derived fields, and custom attributes.
class SpanFields final : public query::Fields {
 public:
  explicit SpanFields(const SpanDialect& dialect) : dialect_(dialect) {}

  Result<query::Field> resolve(std::string_view path) const override;
  const query::Dialect& dialect() const override { return dialect_.values(); }

 private:
  const SpanDialect& dialect_;
};

/// Adds the map (such as `custom_attrs_string.`) to the names of custom attributes. A name does not
/// contain a type, so the type of the compared literal decides. @return kInvalidArgument if no
/// literal decides the type, for null with an order operator or in the list of `$in`, and for an
/// empty list or one of several types.
Result<void> addCustomTypes(query::Query& query);

/// Return a column, or a custom attribute, of spans `c`.
query::Field fieldOf(const SpanColumn& column);
query::Field fieldOf(CustomType type, std::string_view key, const SpanDialect& dialect);

/// Returns the derived field `duration_ms` or `total_tokens`; nothing for another name.
std::optional<query::Field> derivedField(std::string_view name, const SpanDialect& dialect);

}  // namespace spindle::agents
