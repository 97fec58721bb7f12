#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/expression.h"
#include "query/field.h"
#include "query/json_value.h"

namespace spindle::query {

/// What a comparison has on one side: a literal, a value inside JSON, or SQL of a known type.
struct Operand {
  const Literal* literal = nullptr;
  std::optional<JsonValue> json = {};
  FieldKind kind = FieldKind::kText;  ///< when it is neither of the above
  Sql sql = {};
  std::optional<OtherRows> rows = {};
  std::vector<FieldCase> cases = {};
  Sql presence = {};  ///< what must hold of a row in `rows` to be looked at; empty for nothing

  bool isNull() const { return literal && std::holds_alternative<std::monostate>(*literal); }
};

/// Integers, doubles and booleans compare with one another.
bool isNumeric(FieldKind kind);

/// How messages call what an operand is.
std::string_view nameOf(const Operand& operand);

/// 400: the two cannot be compared.
Error noCommonType(const Operand& left, const Operand& right);
/// 403: the operator does not take it.
Error illegalType(std::string_view operation, const Operand& operand);

/// The literal as a parameter of the type that it is compared with.
/// @return kInvalidArgument when it cannot be one.
Result<Sql> literalAs(FieldKind kind, const Operand& literal, const Operand& peer);
/// The literal as what it is. Null is an untyped NULL.
Result<Sql> literalSql(const Operand& literal);

/// `$convert`, which never fails: what cannot be read so is NULL.
Operand converted(const Operand& operand, Conversion conversion);

/// `$size`. @return kPermissionDenied for what has none.
Result<Operand> sizeOf(const Operand& operand);

/// The rows that the operands are in, if any; a row stands for both when they are the same.
/// @return kInvalidArgument when they are not.
Result<std::optional<OtherRows>> rowsOf(const std::vector<const Operand*>& operands);
/// Makes a test of one row a test of whether there is such a row.
Sql anyOf(const OtherRows& rows, const std::vector<const Operand*>& operands, const Sql& test);

}  // namespace spindle::query
