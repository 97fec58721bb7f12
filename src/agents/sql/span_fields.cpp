#include "agents/sql/span_fields.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "agents/sql/span_row.h"

namespace spindle::agents {
namespace {

using query::Expression, query::Field, query::FieldKind, query::Operator, query::Sql;

constexpr ByMember<FieldKind> kKinds = {.text = FieldKind::kText,
                                        .integer = FieldKind::kInteger,
                                        .real = FieldKind::kReal,
                                        .time = FieldKind::kTime,
                                        .texts = FieldKind::kTexts};

bool isDerivedField(std::string_view name) {
  return name == "duration_ms" || name == "total_tokens";
}

/// Returns the time from the start to the end of a span `c`.
Sql microsecondsOfSpan(const SpanDialect& dialect) {
  return Sql("(")
      .add(dialect.values().microsecondsOf(Sql("c.ended_at")))
      .add(" - ")
      .add(dialect.values().microsecondsOf(Sql("c.started_at")))
      .add(")");
}

bool isKnown(std::string_view name) {
  if (findQueryColumn(name) != nullptr || isDerivedField(name)) return true;
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && customTypeOf(name.substr(0, dot)).has_value();
}

std::optional<CustomType> typeOfLiteral(const Expression& expression) {
  if (expression.op != Operator::kLiteral) return std::nullopt;
  struct Type {
    std::optional<CustomType> operator()(std::monostate) const { return std::nullopt; }
    std::optional<CustomType> operator()(const std::string&) const { return CustomType::kString; }
    std::optional<CustomType> operator()(std::int64_t) const { return CustomType::kInt; }
    std::optional<CustomType> operator()(double) const { return CustomType::kFloat; }
    std::optional<CustomType> operator()(bool) const { return CustomType::kBool; }
    std::optional<CustomType> operator()(const query::Composite&) const { return std::nullopt; }
  };
  return std::visit(Type{}, expression.literal);
}

/// Returns the field inside an operand, below conversions; null if there is none.
Expression* fieldIn(Expression& operand) {
  Expression* at = &operand;
  while (at->op == Operator::kConvert || at->op == Operator::kSize) at = &at->operands.front();
  return at->op == Operator::kField ? at : nullptr;
}

bool isOrdered(Operator op) {
  return op == Operator::kGt || op == Operator::kGte || op == Operator::kLt || op == Operator::kLte;
}

bool isNull(const Expression& operand) {
  return operand.op == Operator::kLiteral &&
         std::holds_alternative<std::monostate>(operand.literal);
}

/// Rejects literals that other queries allow but that are errors in queries of spans.
Result<void> checkLiterals(const Expression& node) {
  const bool has_null = std::any_of(node.operands.begin(), node.operands.end(), isNull);
  if (isOrdered(node.op) && has_null)
    return Error::invalidArgument("null cannot be used with $gt, $gte, $lt or $lte");
  if (node.op != Operator::kIn) return {};
  if (has_null) return Error::invalidArgument("The list of $in cannot contain null");
  if (node.operands.size() < 2) return Error::invalidArgument("The list of $in is empty");
  const auto is_number = [](const Expression& operand) {
    return std::holds_alternative<std::int64_t>(operand.literal) ||
           std::holds_alternative<double>(operand.literal);
  };
  const Expression& first = node.operands[1];
  for (std::size_t i = 2; i < node.operands.size(); ++i) {
    const Expression& other = node.operands[i];
    if (first.literal.index() != other.literal.index() && !(is_number(first) && is_number(other)))
      return Error::invalidArgument("The list of $in mixes types");
  }
  return {};
}

Result<void> addTypes(Expression& node) {
  TRY(checkLiterals(node));
  std::optional<CustomType> type;
  for (const Expression& operand : node.operands) {
    if (!type) type = typeOfLiteral(operand);
  }
  for (Expression& operand : node.operands) {
    Expression* field = fieldIn(operand);
    if (field == nullptr) {
      TRY(addTypes(operand));
      continue;
    }
    if (isKnown(field->field)) continue;
    if (!type) {
      return Error::invalidArgument("The type of " + field->field +
                                    " is not known: compare it with a literal, or name its map as "
                                    "in custom_attrs_string." +
                                    field->field);
    }
    field->field = std::string(columnOf(*type).text()) + "." + field->field;
  }
  return {};
}

}  // namespace

Sql durationSql(const SpanDialect& dialect) {
  return Sql("(CASE WHEN c.ended_at > c.started_at THEN ")
      .add(dialect.values().quotient(microsecondsOfSpan(dialect), Sql("1000")))
      .add(" ELSE 0 END)");
}

Sql windowCondition(std::optional<Timestamp> after, std::optional<Timestamp> before) {
  Sql sql;
  if (after) sql.add(" AND c.started_at >= ").param(*after);
  if (before) sql.add(" AND c.started_at < ").param(*before);
  return sql;
}

Field fieldOf(const SpanColumn& column) {
  return {std::visit(kKinds, column.member), Sql("c." + SqlText(column.name))};
}

Field fieldOf(CustomType type, std::string_view key, const SpanDialect& dialect) {
  constexpr auto kKindsOfTypes = std::to_array<FieldKind>(
      {FieldKind::kText, FieldKind::kInteger, FieldKind::kReal, FieldKind::kBoolean});
  return {kKindsOfTypes.at(static_cast<std::size_t>(type)),
          dialect.customValue(type, customKey(key))};
}

std::optional<Field> derivedField(std::string_view name, const SpanDialect& dialect) {
  if (name == "duration_ms") {
    return Field{FieldKind::kReal, Sql("(CASE WHEN c.ended_at > c.started_at THEN ")
                                       .add(microsecondsOfSpan(dialect))
                                       .add(" / 1000.0 END)")};
  }
  if (name == "total_tokens") {
    return Field{FieldKind::kInteger,
                 Sql("(c.input_tokens + c.output_tokens + c.reasoning_tokens)")};
  }
  return std::nullopt;
}

Result<Field> SpanFields::resolve(std::string_view path) const {
  if (path.find('\0') != std::string_view::npos) return Error::invalidArgument("Unknown field");
  if (const SpanColumn* column = findQueryColumn(path)) return fieldOf(*column);
  if (std::optional<Field> derived = derivedField(path, dialect_)) return *std::move(derived);
  const std::size_t dot = path.find('.');
  if (dot != std::string_view::npos) {
    if (const std::optional<CustomType> type = customTypeOf(path.substr(0, dot)))
      return fieldOf(*type, path.substr(dot + 1), dialect_);
  }
  return Error::invalidArgument("Unknown field: " + std::string(path));
}

Result<void> addCustomTypes(query::Query& query) { return addTypes(query.expression); }

}  // namespace spindle::agents
