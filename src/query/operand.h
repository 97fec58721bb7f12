#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "query/dialect.h"
#include "query/expression.h"
#include "query/field.h"
#include "query/json_value.h"

namespace spindle::query {

/// One side of a comparison: a literal, a value inside JSON, or SQL of a known type.
struct Operand {
  const Literal* literal = nullptr;
  std::optional<JsonValue> json = {};
  FieldKind kind = FieldKind::kText;  ///< the type of `sql`, without `literal` and `json`
  Sql sql = {};
  std::optional<RelatedRows> rows = {};
  std::vector<FieldCase> cases = {};
  Sql presence = {};  ///< the condition that selects rows in `rows`; empty selects all

  bool isNull() const { return literal && std::holds_alternative<std::monostate>(*literal); }
};

/// Returns true for integers, doubles and booleans, which can be compared with one another.
bool isNumeric(FieldKind kind);

/// Returns the name of the operand's type in error messages.
std::string_view nameOf(const Operand& operand);

/// Returns the error for two operands that cannot be compared (400).
Error noCommonType(const Operand& left, const Operand& right);
/// Returns the error for an operand type that the operator does not accept (403).
Error illegalType(std::string_view operation, const Operand& operand);

/// Returns the literal as a parameter of type `kind`, the type of `peer` that it is compared with.
/// @return kInvalidArgument when it cannot be converted to that type.
Result<Sql> literalAs(FieldKind kind,
                      const Operand& literal,
                      const Operand& peer,
                      const Dialect& dialect);
/// Returns the literal as a parameter of its own type. Null is an untyped NULL.
Result<Sql> literalSql(const Operand& literal, const Dialect& dialect);

/// Compiles `$convert`. It never fails: a value that cannot be converted is NULL.
Operand converted(const Operand& operand, Conversion conversion, const Dialect& dialect);

/// Compiles `$size`. @return kPermissionDenied for a type without a size.
Result<Operand> sizeOf(const Operand& operand, const Dialect& dialect);

/// Returns the rows that contain the operands' values, if they are in another table.
/// @return kInvalidArgument when the operands are in different sets of rows.
Result<std::optional<RelatedRows>> rowsOf(const std::vector<const Operand*>& operands);
/// Returns the condition that at least one of the rows passes the test, which is over the operands.
Sql anyOf(const RelatedRows& rows,
          const std::vector<const Operand*>& operands,
          const Sql& test,
          const Dialect& dialect);

}  // namespace spindle::query
