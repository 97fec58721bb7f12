#include "query/compiler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "query/comparison.h"
#include "query/dialect.h"
#include "query/json_value.h"
#include "query/operand.h"

namespace spindle::query {
namespace {

Operator mirrored(Operator op) {
  constexpr auto kMirrored = std::to_array<std::pair<Operator, Operator>>(
      {{Operator::kGt, Operator::kLt}, {Operator::kGte, Operator::kLte}});
  for (const auto& [greater, less] : kMirrored) {
    if (op == greater) return less;
    if (op == less) return greater;
  }
  return op;
}

class Compiler {
 public:
  explicit Compiler(const Fields& fields) : fields_(fields), dialect_(fields.dialect()) {}

  Result<Sql> condition(const Expression& expression, NullSemantics nulls) const {
    switch (expression.op) {
      case Operator::kAnd:
        return junction(expression, "AND", nulls);
      case Operator::kOr:
        return junction(expression, "OR", nulls);
      case Operator::kNot: {
        Sql inner = TRY(condition(expression.operands[0], NullSemantics::kThreeValued));
        return Sql("(NOT ").add(inner).add(")");
      }
      case Operator::kEq:
      case Operator::kGt:
      case Operator::kLt:
      case Operator::kGte:
      case Operator::kLte:
        return comparison(expression, nulls);
      case Operator::kIn:
        return membership(expression);
      case Operator::kContains:
        return containment(expression, nulls);
      case Operator::kLiteral:
      case Operator::kField:
      case Operator::kConvert:
      case Operator::kSize:
        return truth(expression);
    }
    return dialect_.unknown();
  }

  Result<Operand> field(std::string_view path) const {
    Field field = TRY(fields_.resolve(path));
    Operand operand;
    operand.kind = field.kind;
    operand.rows = std::move(field.rows);
    operand.cases = std::move(field.cases);
    if (field.kind == FieldKind::kJson) {
      operand.json.emplace(std::move(field.sql), std::move(field.path), dialect_);
    } else {
      operand.sql = std::move(field.sql);
    }
    if (operand.rows && operand.rows->skip_empty) {
      const Sql text = operand.json ? operand.json->looseText() : operand.sql;
      operand.presence = Sql(text).add(" <> ''");
    }
    return operand;
  }

 private:
  Result<Sql> junction(const Expression& expression, SqlView word, NullSemantics nulls) const {
    if (expression.operands.empty()) {
      return Error::invalidArgument("Empty " + std::string(word.text()) + " operation");
    }
    Sql sql("(");
    for (const Expression& operand : expression.operands) {
      const Sql part = TRY(condition(operand, nulls));
      if (sql.text.size() > 1) sql.add(" ").add(word).add(" ");
      sql.add(part);
    }
    return sql.add(")");
  }

  Result<Operand> operand(const Expression& expression) const {
    switch (expression.op) {
      case Operator::kLiteral: {
        Operand literal;
        literal.literal = &expression.literal;
        return literal;
      }
      case Operator::kField:
        return field(expression.field);
      case Operator::kConvert: {
        Operand inner = TRY(typedOperand(expression.operands[0]));
        return converted(inner, expression.conversion, dialect_);
      }
      case Operator::kSize: {
        Operand inner = TRY(typedOperand(expression.operands[0]));
        return sizeOf(inner, dialect_);
      }
      default:
        break;
    }
    Sql sql = TRY(condition(expression, NullSemantics::kThreeValued));
    Operand operation;
    operation.kind = FieldKind::kBoolean;
    operation.sql = std::move(sql);
    return operation;
  }

  /// Compiles an operand and converts a literal to SQL of its type.
  Result<Operand> typedOperand(const Expression& expression) const {
    Result<Operand> result = operand(expression);
    if (!result || result->literal == nullptr) return result;
    Sql sql = TRY(literalSql(*result, dialect_));
    const Literal& literal = *result->literal;
    result->sql = std::move(sql);
    result->kind = std::holds_alternative<std::int64_t>(literal) ? FieldKind::kInteger
                   : std::holds_alternative<double>(literal)     ? FieldKind::kReal
                   : std::holds_alternative<bool>(literal)       ? FieldKind::kBoolean
                                                                 : FieldKind::kText;
    result->literal = nullptr;
    return result;
  }

  /// Compiles an expression that is not an operation to a condition.
  Result<Sql> truth(const Expression& expression) const {
    Operand result = TRY(operand(expression));
    if (result.literal != nullptr) return truthOf(result);
    Sql test;
    if (result.json) {
      test = result.json->boolean();
    } else if (isNumeric(result.kind)) {
      test = dialect_.truthOf(result.sql);
    } else {
      return illegalType("a condition", result);
    }
    return result.rows ? anyOf(*result.rows, {&result}, test, dialect_) : test;
  }

  Result<Sql> truthOf(const Operand& operand) const {
    const Literal& literal = *operand.literal;
    if (operand.isNull()) return dialect_.unknown();
    if (std::holds_alternative<Composite>(literal)) return illegalType("a condition", operand);
    const auto* text = std::get_if<std::string>(&literal);
    const auto* integer = std::get_if<std::int64_t>(&literal);
    const auto* number = std::get_if<double>(&literal);
    const auto* boolean = std::get_if<bool>(&literal);
    const bool holds = (text != nullptr && !text->empty()) ||
                       (integer != nullptr && *integer != 0) ||
                       (number != nullptr && *number != 0) || (boolean != nullptr && *boolean);
    return truthSql(holds);
  }

  Result<Sql> comparison(const Expression& expression, NullSemantics nulls) const {
    const Operand left = TRY(operand(expression.operands[0]));
    const Operand right = TRY(operand(expression.operands[1]));
    // Move a literal to the right side, and null to the right of another literal.
    const bool swapped = left.literal != nullptr && (right.literal == nullptr || left.isNull());
    const Operand& a = swapped ? right : left;
    const Operand& b = swapped ? left : right;
    const Operator op = swapped ? mirrored(expression.op) : expression.op;
    if (b.isNull())
      return op == Operator::kEq ? isNullCondition(a) : Result<Sql>(dialect_.unknown());

    const std::optional<RelatedRows> rows = TRY(rowsOf({&a, &b}));
    const NullSemantics inner = rows.has_value() ? NullSemantics::kTruthOnly : nulls;
    Result<Sql> test = compare(op, a, b, inner, dialect_);
    if (!test || !rows.has_value()) return test;
    return anyOf(*rows, {&a, &b}, *test, dialect_);
  }

  Result<Sql> isNullCondition(const Operand& operand) const {
    if (operand.literal != nullptr) return truthSql(operand.isNull());
    if (operand.rows) {
      return Sql("(NOT ").add(converted(operand, Conversion::kExists, dialect_).sql).add(")");
    }
    if (operand.json) return Sql("FALSE");
    return dialect_.isNull(operand.kind, operand.sql);
  }

  Result<Sql> membership(const Expression& expression) const {
    const Operand tested = TRY(operand(expression.operands[0]));
    std::vector<Operand> literals;
    std::vector<Operand> others;
    for (std::size_t i = 1; i < expression.operands.size(); ++i) {
      Operand item = TRY(operand(expression.operands[i]));
      if (item.isNull()) continue;
      (item.literal != nullptr ? literals : others).push_back(std::move(item));
    }
    if (tested.isNull()) return dialect_.unknown();
    std::vector<const Operand*> together = {&tested};
    for (const Operand& other : others) together.push_back(&other);
    const std::optional<RelatedRows> rows = TRY(rowsOf(together));

    std::vector<Sql> tests;
    if (!literals.empty()) {
      Sql test = TRY(isAmong(tested, literals, dialect_));
      tests.push_back(std::move(test));
    }
    for (const Operand& other : others) {
      Sql test =
          TRY(tested.literal != nullptr
                  ? compare(Operator::kEq, other, tested, NullSemantics::kThreeValued, dialect_)
                  : compare(Operator::kEq, tested, other, NullSemantics::kThreeValued, dialect_));
      tests.push_back(std::move(test));
    }
    if (tests.empty()) return Sql("FALSE");
    Sql any("(");
    for (const Sql& test : tests)
      any.add(any.text.size() > 1 ? SqlView(" OR ") : SqlView()).add(test);
    any.add(")");
    return rows.has_value() ? anyOf(*rows, together, any, dialect_) : any;
  }

  Result<Sql> containment(const Expression& expression, NullSemantics nulls) const {
    const Operand input = TRY(operand(expression.operands[0]));
    const Operand needle = TRY(operand(expression.operands[1]));
    if (input.isNull() || needle.isNull()) return dialect_.unknown();
    const std::optional<RelatedRows> rows = TRY(rowsOf({&input, &needle}));
    const NullSemantics inner = rows.has_value() ? NullSemantics::kTruthOnly : nulls;
    Result<Sql> test = contains(input, needle, expression.case_insensitive, inner, dialect_);
    if (!test || !rows.has_value()) return test;
    return anyOf(*rows, {&input, &needle}, *test, dialect_);
  }

  const Fields& fields_;
  const Dialect& dialect_;
};

void addKey(Sql& order, const Sql& value, bool descending) {
  order.add(value).add(descending ? SqlView(" DESC NULLS LAST") : SqlView(" ASC NULLS LAST"));
}

/// Returns the field of a sort key, with the SQL of its one value for each queried row.
Result<Field> sortField(const SortKey& key, const Fields& fields) {
  Field field = TRY(fields.resolve(key.field));
  if (!field.rows) return field;
  field.sql = fields.dialect().newestRelated(*field.rows, field.sql);
  return field;
}

}  // namespace

Result<Sql> compileCondition(const Query& query, const Fields& fields) {
  return Compiler(fields).condition(query.expression, NullSemantics::kTruthOnly);
}

Result<Sql> compileSort(const std::vector<SortKey>& keys, const Fields& fields) {
  const Dialect& dialect = fields.dialect();
  Sql order;
  for (const SortKey& key : keys) {
    const Field field = TRY(sortField(key, fields));
    if (!order.text.empty()) order.add(", ");
    if (field.kind != FieldKind::kJson) {
      const bool list = field.kind == FieldKind::kTexts;
      addKey(order, list ? dialect.sortedList(field.sql) : field.sql, key.descending);
      continue;
    }
    const Sql text = JsonValue(field.sql, field.path, dialect).looseText();
    order.add(Sql(text).add(" IS NULL, "));
    addKey(order, dialect.sortedNumber(text), key.descending);
    addKey(order.add(", "), text, key.descending);
  }
  return order;
}

Result<std::vector<SortColumn>> compileSortColumns(const std::vector<SortKey>& keys,
                                                   const Fields& fields) {
  const Dialect& dialect = fields.dialect();
  std::vector<SortColumn> columns;
  for (const SortKey& key : keys) {
    const Field field = TRY(sortField(key, fields));
    const bool descending = key.descending;
    switch (field.kind) {
      case FieldKind::kJson: {
        const Sql text = JsonValue(field.sql, field.path, dialect).looseText();
        columns.push_back(
            {dialect.numberOfTruth(Sql("(").add(text).add(" IS NULL)")), FieldKind::kInteger});
        columns.push_back({dialect.sortedNumber(text), FieldKind::kReal, descending});
        columns.push_back({dialect.sortedText(FieldKind::kText, text, kSortedCharacters),
                           FieldKind::kText, descending});
        break;
      }
      case FieldKind::kInteger:
      case FieldKind::kBoolean:
        columns.push_back(
            {dialect.integerOf(field.kind, field.sql), FieldKind::kInteger, descending});
        break;
      case FieldKind::kReal:
        columns.push_back({dialect.realOf(field.kind, field.sql), FieldKind::kReal, descending});
        break;
      case FieldKind::kTime:
        columns.push_back({field.sql, FieldKind::kTime, descending});
        break;
      case FieldKind::kText:
      case FieldKind::kTexts:
        columns.push_back({dialect.sortedText(field.kind, field.sql, kSortedCharacters),
                           FieldKind::kText, descending});
        break;
    }
  }
  return columns;
}

std::vector<SortKey> withTieBreak(std::vector<SortKey> keys,
                                  std::string_view id,
                                  std::string_view time) {
  const bool listed =
      std::any_of(keys.begin(), keys.end(), [id](const SortKey& key) { return key.field == id; });
  if (keys.empty() || listed) return keys;
  const bool descending = keys.back().field != time || keys.back().descending;
  keys.push_back({std::string(id), descending});
  return keys;
}

}  // namespace spindle::query
