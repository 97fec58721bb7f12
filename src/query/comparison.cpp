#include "query/comparison.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace spindle::query {
namespace {

SqlView signOf(Operator op) {
  if (op == Operator::kGt) return ">";
  if (op == Operator::kLt) return "<";
  if (op == Operator::kGte) return ">=";
  return op == Operator::kLte ? SqlView("<=") : SqlView("=");
}

Sql parenthesised(const Sql& sql) { return Sql("(").add(sql).add(")"); }

Sql infix(const Sql& left, Operator op, const Sql& right) {
  return parenthesised(Sql(left).add(" ").add(signOf(op)).add(" ").add(right));
}

bool isNumber(const Literal& literal) {
  return std::holds_alternative<std::int64_t>(literal) || std::holds_alternative<double>(literal);
}

bool isNumeric(const Literal& literal) {
  return isNumber(literal) || std::holds_alternative<bool>(literal);
}

/// Casts a boolean operand to a number when it is compared with a number.
Sql promotedToNumber(const Operand& operand, bool number, const Dialect& dialect) {
  return number && operand.kind == FieldKind::kBoolean ? dialect.numberOfTruth(operand.sql)
                                                       : operand.sql;
}

Result<Sql> compareLiterals(Operator op,
                            const Operand& left,
                            const Operand& right,
                            const Dialect& dialect) {
  const bool numbers = isNumeric(*left.literal) && isNumeric(*right.literal);
  const bool texts = std::holds_alternative<std::string>(*left.literal) &&
                     std::holds_alternative<std::string>(*right.literal);
  if (!numbers && !texts) return noCommonType(left, right);
  const Sql a = TRY(literalSql(left, dialect));
  const Sql b = TRY(literalSql(right, dialect));
  if (!numbers) return infix(a, op, b);
  // Truth values are numbers too.
  const auto number = [&dialect](const Operand& literal, const Sql& sql) {
    const bool truth = std::holds_alternative<bool>(*literal.literal);
    return dialect.realOf(truth ? FieldKind::kBoolean : FieldKind::kReal, sql);
  };
  return infix(number(left, a), op, number(right, b));
}

/// Compares a JSON value with a literal. The type of the literal decides how the value is read.
Result<Sql> compareJson(Operator op,
                        const Operand& value,
                        const Operand& literal,
                        NullSemantics nulls) {
  const JsonValue& json = *value.json;
  if (const auto* text = std::get_if<std::string>(literal.literal)) {
    if (op == Operator::kEq) return parenthesised(json.equals(*text, nulls));
    return parenthesised(json.compares(signOf(op), *text));
  }
  if (const auto* integer = std::get_if<std::int64_t>(literal.literal)) {
    return infix(json.integer(), op, Sql().param(*integer));
  }
  if (const auto* number = std::get_if<double>(literal.literal)) {
    return infix(json.real(), op, Sql().param(*number));
  }
  if (const auto* boolean = std::get_if<bool>(literal.literal)) {
    return infix(json.boolean(), op, truthSql(*boolean));
  }
  return noCommonType(value, literal);
}

/// Returns the condition that the field has the value.
Sql caseOf(const std::vector<FieldCase>& cases, std::string_view value) {
  const auto found = std::find_if(cases.begin(), cases.end(),
                                  [value](const FieldCase& known) { return known.value == value; });
  return parenthesised(Sql(found == cases.end() ? SqlView("FALSE") : found->test));
}

Result<Sql> compareWithLiteral(Operator op,
                               const Operand& value,
                               const Operand& literal,
                               NullSemantics nulls,
                               const Dialect& dialect) {
  if (value.literal != nullptr) return compareLiterals(op, value, literal, dialect);
  if (value.json) return compareJson(op, value, literal, nulls);
  const auto* text = std::get_if<std::string>(literal.literal);
  if (op == Operator::kEq && text != nullptr && !value.cases.empty())
    return caseOf(value.cases, *text);
  const Sql right = TRY(literalAs(value.kind, literal, value, dialect));
  return infix(promotedToNumber(value, isNumber(*literal.literal), dialect), op, right);
}

Sql itemsOf(const std::vector<Sql>& items) {
  Sql list("(");
  for (const Sql& item : items)
    list.add(&item == items.data() ? SqlView() : SqlView(", ")).add(item);
  return list.add(")");
}

/// Literals of one type decide how the value is read. If the types are mixed, only the texts can
/// match.
Result<Sql> isAmongForJson(const JsonValue& json,
                           const std::vector<Operand>& literals,
                           const Dialect& dialect) {
  std::set<std::size_t> types;
  std::vector<std::string> texts;
  std::vector<Sql> others;
  for (const Operand& operand : literals) {
    types.insert(operand.literal->index());
    if (const auto* text = std::get_if<std::string>(operand.literal)) {
      texts.push_back(*text);
      continue;
    }
    Sql item = TRY(literalSql(operand, dialect));
    others.push_back(std::move(item));
  }
  const std::size_t integers = types.count(Literal(std::int64_t{0}).index());
  const std::size_t numbers = types.count(Literal(0.0).index());
  const std::size_t booleans = types.count(Literal(false).index());
  if (types.size() == integers) return parenthesised(dialect.isIn(json.integer(), itemsOf(others)));
  if (types.size() == integers + numbers)
    return parenthesised(dialect.isIn(json.real(), itemsOf(others)));
  if (types.size() == booleans) return parenthesised(dialect.isIn(json.boolean(), itemsOf(others)));
  return texts.empty() ? Sql("FALSE") : parenthesised(json.isAmong(texts));
}

Result<Sql> textOf(const Operand& operand, const Dialect& dialect) {
  if (operand.literal != nullptr) {
    if (std::holds_alternative<std::string>(*operand.literal)) return literalSql(operand, dialect);
  } else if (operand.json) {
    return operand.json->text();
  } else if (operand.kind == FieldKind::kText) {
    return operand.sql;
  }
  return illegalType("$contains", operand);
}

Sql lowered(const Sql& text, bool enabled, const Dialect& dialect) {
  return enabled ? dialect.lower(text) : text;
}

}  // namespace

Result<Sql> compare(Operator op,
                    const Operand& left,
                    const Operand& right,
                    NullSemantics nulls,
                    const Dialect& dialect) {
  if (right.literal != nullptr) return compareWithLiteral(op, left, right, nulls, dialect);
  const FieldKind a = left.json ? FieldKind::kText : left.kind;
  const FieldKind b = right.json ? FieldKind::kText : right.kind;
  if ((a != b && !(isNumeric(a) && isNumeric(b))) || a == FieldKind::kTexts) {
    return noCommonType(left, right);
  }
  const auto sql = [mixed = a != b, &dialect](const Operand& operand) {
    return operand.json ? operand.json->text() : promotedToNumber(operand, mixed, dialect);
  };
  return infix(sql(left), op, sql(right));
}

Result<Sql> isAmong(const Operand& tested,
                    const std::vector<Operand>& literals,
                    const Dialect& dialect) {
  if (tested.json) return isAmongForJson(*tested.json, literals, dialect);
  std::vector<Sql> items;
  bool number = false;
  for (const Operand& literal : literals) {
    // If `tested` is a literal too, every list item must be comparable with it.
    if (tested.literal != nullptr) {
      TRY(compareLiterals(Operator::kEq, tested, literal, dialect));
    }
    Sql item = TRY(tested.literal != nullptr ? literalSql(literal, dialect)
                                             : literalAs(tested.kind, literal, tested, dialect));
    items.push_back(std::move(item));
    number = number || isNumber(*literal.literal);
  }
  if (tested.literal == nullptr) {
    return parenthesised(dialect.isIn(promotedToNumber(tested, number, dialect), itemsOf(items)));
  }
  Sql value = TRY(literalSql(tested, dialect));
  return parenthesised(dialect.isIn(value, itemsOf(items)));
}

Result<Sql> contains(const Operand& input,
                     const Operand& needle,
                     bool case_insensitive,
                     NullSemantics nulls,
                     const Dialect& dialect) {
  const Sql part = TRY(textOf(needle, dialect));
  if (input.json && needle.literal != nullptr) {
    return input.json->contains(std::get<std::string>(*needle.literal), case_insensitive, nulls);
  }
  const Sql sought = lowered(part, case_insensitive, dialect);
  if (input.literal == nullptr && !input.json && input.kind == FieldKind::kTexts)
    return dialect.listContains(input.sql, sought, case_insensitive);
  const Sql whole = TRY(textOf(input, dialect));
  return dialect.contains(lowered(whole, case_insensitive, dialect), sought);
}

}  // namespace spindle::query
