#include "query/operand.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/core/time.h"

namespace spindle::query {
namespace {

using columnar::Value;

std::string_view nameOf(const Literal& literal) {
  struct Name {
    std::string_view operator()(std::monostate /*null*/) const { return "null"; }
    std::string_view operator()(const std::string& /*text*/) const { return "string"; }
    std::string_view operator()(std::int64_t /*integer*/) const { return "int"; }
    std::string_view operator()(double /*number*/) const { return "double"; }
    std::string_view operator()(bool /*boolean*/) const { return "bool"; }
    std::string_view operator()(const Composite& composite) const {
      return composite.json.starts_with('[') ? "list" : "object";
    }
  };
  return std::visit(Name(), literal);
}

/// Names in the order of FieldKind.
constexpr auto kFieldKindNames = std::to_array<std::string_view>(
    {"string", "int", "double", "datetime", "bool", "list of strings", "string"});
static_assert(kFieldKindNames.size() == static_cast<std::size_t>(FieldKind::kJson) + 1);

std::string_view nameOf(FieldKind kind) {
  return kFieldKindNames.at(static_cast<std::size_t>(kind));
}

Error parseError(std::string_view text, std::string_view as) {
  return Error::invalidArgument("Cannot parse '" + std::string(text.substr(0, 128)) + "' as " +
                                std::string(as));
}

Result<Sql> numberOfText(const std::string& text, const Dialect& dialect) {
  std::int64_t integer = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, integer).ptr == end && !text.empty()) {
    return Sql().param(integer);
  }
  double number = 0;
  const auto [stop, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || stop != end || text.empty()) return parseError(text, "a number");
  return dialect.parameter(number, FieldKind::kReal);
}

Result<Sql> literalAsNumber(const Literal& literal, const Dialect& dialect) {
  if (const auto* integer = std::get_if<std::int64_t>(&literal)) return Sql().param(*integer);
  if (const auto* number = std::get_if<double>(&literal))
    return dialect.parameter(*number, FieldKind::kReal);
  if (const auto* boolean = std::get_if<bool>(&literal)) {
    return Sql().param(static_cast<std::int64_t>(*boolean));
  }
  return numberOfText(std::get<std::string>(literal), dialect);
}

Result<Sql> literalAsTime(const Literal& literal, const Dialect& dialect) {
  std::optional<Timestamp> time;
  if (const auto* text = std::get_if<std::string>(&literal)) {
    time = parseTimestamp(*text).value;
    if (!time) return parseError(*text, "a datetime");
  } else {
    const auto* integer = std::get_if<std::int64_t>(&literal);
    const double seconds =
        integer != nullptr ? static_cast<double>(*integer) : std::get<double>(literal);
    if (std::isfinite(seconds)) time = timestampFromUnix(seconds);
    if (!time) return Error::invalidArgument("A time is out of range");
  }
  return dialect.parameter(*time, FieldKind::kTime);
}

Result<Sql> literalAsBoolean(const Literal& literal) {
  if (const auto* boolean = std::get_if<bool>(&literal)) return truthSql(*boolean);
  const std::string& text = std::get<std::string>(literal);
  if (text == "true" || text == "1") return Sql("TRUE");
  if (text == "false" || text == "0") return Sql("FALSE");
  return parseError(text, "a bool");
}

Operand typed(FieldKind kind, Sql sql, const Operand& of) {
  Operand operand;
  operand.kind = kind;
  operand.sql = std::move(sql);
  operand.rows = of.rows;
  operand.presence = of.presence;
  return operand;
}

Sql isPresent(const Operand& operand, const Dialect& dialect) {
  if (operand.json) return Sql("TRUE");
  if (operand.kind == FieldKind::kTexts)
    return Sql("(NOT ").add(dialect.isNull(operand.kind, operand.sql)).add(")");
  return Sql("(").add(operand.sql).add(") IS NOT NULL");
}

Operand existence(const Operand& operand, const Dialect& dialect) {
  Operand result;
  result.kind = FieldKind::kBoolean;
  result.sql = isPresent(operand, dialect);
  if (operand.rows) result.sql = anyOf(*operand.rows, {&operand}, result.sql, dialect);
  return result;
}

Sql integerOf(const Operand& operand, const Dialect& dialect) {
  if (operand.json) return operand.json->integer();
  if (isNumeric(operand.kind) || operand.kind == FieldKind::kTime)
    return dialect.integerOf(operand.kind, operand.sql);
  return dialect.integerOfText(dialect.textOf(operand.kind, operand.sql));
}

Sql realOf(const Operand& operand, const Dialect& dialect) {
  if (operand.json) return operand.json->real();
  if (isNumeric(operand.kind) || operand.kind == FieldKind::kTime)
    return dialect.realOf(operand.kind, operand.sql);
  return dialect.realOfText(dialect.textOf(operand.kind, operand.sql));
}

Sql booleanOf(const Operand& operand, const Dialect& dialect) {
  if (operand.json) return operand.json->boolean();
  if (isNumeric(operand.kind)) return dialect.truthOf(operand.sql);
  return dialect.booleanOfText(dialect.textOf(operand.kind, operand.sql));
}

bool isSame(const Sql& a, const Sql& b) { return a.text == b.text && a.params == b.params; }

}  // namespace

bool isNumeric(FieldKind kind) {
  return kind == FieldKind::kInteger || kind == FieldKind::kReal || kind == FieldKind::kBoolean;
}

std::string_view nameOf(const Operand& operand) {
  return operand.literal != nullptr ? nameOf(*operand.literal) : nameOf(operand.kind);
}

Error noCommonType(const Operand& left, const Operand& right) {
  return Error::invalidArgument("No common type for " + std::string(nameOf(left)) + " and " +
                                std::string(nameOf(right)));
}

Error illegalType(std::string_view operation, const Operand& operand) {
  return Error::denied("Illegal type " + std::string(nameOf(operand)) + " of argument of " +
                       std::string(operation));
}

Result<Sql> literalAs(FieldKind kind,
                      const Operand& literal,
                      const Operand& peer,
                      const Dialect& dialect) {
  const Literal& value = *literal.literal;
  const bool text = std::holds_alternative<std::string>(value);
  const bool boolean = std::holds_alternative<bool>(value);
  const bool number =
      std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
  switch (kind) {
    case FieldKind::kText:
      if (text) return Sql().param(std::get<std::string>(value));
      break;
    case FieldKind::kInteger:
    case FieldKind::kReal:
      if (text || boolean || number) return literalAsNumber(value, dialect);
      break;
    case FieldKind::kTime:
      if (text || number) return literalAsTime(value, dialect);
      break;
    case FieldKind::kBoolean:
      if (text || boolean) return literalAsBoolean(value);
      if (number) return literalAsNumber(value, dialect);
      break;
    case FieldKind::kTexts:
    case FieldKind::kJson:
      break;
  }
  return noCommonType(peer, literal);
}

Result<Sql> literalSql(const Operand& literal, const Dialect& dialect) {
  const Literal& value = *literal.literal;
  if (const auto* text = std::get_if<std::string>(&value))
    return dialect.parameter(*text, FieldKind::kText);
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return dialect.parameter(*integer, FieldKind::kInteger);
  if (const auto* number = std::get_if<double>(&value))
    return dialect.parameter(*number, FieldKind::kReal);
  if (const auto* boolean = std::get_if<bool>(&value)) return truthSql(*boolean);
  if (literal.isNull()) return Sql("NULL");
  return Error::invalidArgument("A literal " + std::string(nameOf(value)) + " has no value");
}

Operand converted(const Operand& operand, Conversion conversion, const Dialect& dialect) {
  switch (conversion) {
    case Conversion::kInt:
      return typed(FieldKind::kInteger, integerOf(operand, dialect), operand);
    case Conversion::kDouble:
      return typed(FieldKind::kReal, realOf(operand, dialect), operand);
    case Conversion::kBool:
      return typed(FieldKind::kBoolean, booleanOf(operand, dialect), operand);
    case Conversion::kExists:
      return existence(operand, dialect);
    case Conversion::kString:
      break;
  }
  return typed(FieldKind::kText,
               operand.json ? operand.json->text() : dialect.textOf(operand.kind, operand.sql),
               operand);
}

Result<Operand> sizeOf(const Operand& operand, const Dialect& dialect) {
  if (operand.json) return typed(FieldKind::kInteger, operand.json->size(), operand);
  if (operand.kind == FieldKind::kText)
    return typed(FieldKind::kInteger, dialect.length(operand.sql), operand);
  if (operand.kind == FieldKind::kTexts)
    return typed(FieldKind::kInteger, dialect.listLength(operand.sql), operand);
  return illegalType("$size", operand);
}

Result<std::optional<RelatedRows>> rowsOf(const std::vector<const Operand*>& operands) {
  std::optional<RelatedRows> rows;
  for (const Operand* operand : operands) {
    if (!operand->rows) continue;
    const RelatedRows& others = *operand->rows;
    if (rows && !(isSame(rows->from, others.from) && isSame(rows->condition, others.condition))) {
      return Error::invalidArgument("Fields of different feedback cannot be compared");
    }
    rows = operand->rows;
  }
  return rows;
}

Sql anyOf(const RelatedRows& rows,
          const std::vector<const Operand*>& operands,
          const Sql& test,
          const Dialect& dialect) {
  Sql whole;
  bool reads_owner = false;
  for (const Operand* operand : operands) {
    if (!operand->presence.text.empty()) whole.add(operand->presence).add(" AND ");
    reads_owner = reads_owner || (!operand->rows && operand->literal == nullptr);
  }
  whole.add("(").add(test).add(")");
  return dialect.anyRelated(rows, whole, reads_owner);
}

}  // namespace spindle::query
