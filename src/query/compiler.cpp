#include "query/compiler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "query/json_value.h"
#include "query/operand.h"

namespace spindle::query {
namespace {

constexpr std::string_view kUnknown = "CAST(NULL AS BOOLEAN)";

std::string_view signOf(Operator op) {
  switch (op) {
    case Operator::kGt: return ">";
    case Operator::kLt: return "<";
    case Operator::kGte: return ">=";
    case Operator::kLte: return "<=";
    default: return "=";
  }
}

Operator mirrored(Operator op) {
  switch (op) {
    case Operator::kGt: return Operator::kLt;
    case Operator::kLt: return Operator::kGt;
    case Operator::kGte: return Operator::kLte;
    case Operator::kLte: return Operator::kGte;
    default: return op;
  }
}

Sql infix(const Sql& left, std::string_view sign, const Sql& right) {
  return Sql(left).add(" ").add(sign).add(" ").add(right);
}

bool isNumeric(FieldKind kind) {
  return kind == FieldKind::kInteger || kind == FieldKind::kReal || kind == FieldKind::kBoolean;
}

bool isNumericLiteral(const Literal& literal) {
  return std::holds_alternative<std::int64_t>(literal) || std::holds_alternative<double>(literal) ||
         std::holds_alternative<bool>(literal);
}

/// A boolean beside a number is a number.
Sql besides(const Operand& operand, bool number) {
  if (operand.kind != FieldKind::kBoolean || !number) return operand.sql;
  return Sql("CAST(").add(operand.sql).add(" AS BIGINT)");
}

class Compiler {
 public:
  explicit Compiler(const Fields& fields) : fields_(fields) {}

  Result<Sql> condition(const Expression& expression, Need need) const {
    switch (expression.op) {
      case Operator::kAnd: return junction(expression, "AND", need);
      case Operator::kOr: return junction(expression, "OR", need);
      case Operator::kNot: {
        Result<Sql> inner = condition(expression.operands[0], Need::kExact);
        if (!inner) return inner;
        return Sql("(NOT ").add(*inner).add(")");
      }
      case Operator::kEq:
      case Operator::kGt:
      case Operator::kLt:
      case Operator::kGte:
      case Operator::kLte: return comparison(expression, need);
      case Operator::kIn: return membership(expression);
      case Operator::kContains: return containment(expression, need);
      case Operator::kLiteral:
      case Operator::kField:
      case Operator::kConvert:
      case Operator::kSize: return truth(expression);
    }
    return Sql(kUnknown);
  }

  Result<Operand> field(std::string_view path) const {
    Result<Field> field = fields_.resolve(path);
    if (!field) return std::move(field).error();
    Operand operand;
    operand.kind = field->kind;
    operand.rows = std::move(field->rows);
    if (field->kind == FieldKind::kJson) {
      operand.json.emplace(std::move(field->sql), field->path);
    } else {
      operand.sql = std::move(field->sql);
    }
    if (operand.rows && operand.rows->skip_empty) {
      const Sql text = operand.json ? operand.json->looseText() : operand.sql;
      operand.presence = Sql(text).add(" <> ''");
    }
    return operand;
  }

 private:
  Result<Sql> junction(const Expression& expression, std::string_view word, Need need) const {
    if (expression.operands.empty()) {
      return Error::invalidArgument("Empty " + std::string(word) + " operation");
    }
    Sql sql("(");
    for (const Expression& operand : expression.operands) {
      const Result<Sql> part = condition(operand, need);
      if (!part) return part;
      if (sql.text.size() > 1) sql.add(" ").add(word).add(" ");
      sql.add(*part);
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
      case Operator::kField: return field(expression.field);
      case Operator::kConvert: {
        Result<Operand> inner = typedOperand(expression.operands[0]);
        if (!inner) return inner;
        return converted(*inner, expression.conversion);
      }
      case Operator::kSize: {
        Result<Operand> inner = typedOperand(expression.operands[0]);
        if (!inner) return inner;
        return sizeOf(*inner);
      }
      default: break;
    }
    Result<Sql> sql = condition(expression, Need::kExact);
    if (!sql) return std::move(sql).error();
    Operand operation;
    operation.kind = FieldKind::kBoolean;
    operation.sql = *std::move(sql);
    return operation;
  }

  /// An operand whose literal has become SQL.
  Result<Operand> typedOperand(const Expression& expression) const {
    Result<Operand> result = operand(expression);
    if (!result || result->literal == nullptr) return result;
    Result<Sql> sql = literalSql(*result);
    if (!sql) return std::move(sql).error();
    const Literal& literal = *result->literal;
    result->sql = *std::move(sql);
    result->kind = std::holds_alternative<std::int64_t>(literal) ? FieldKind::kInteger
                   : std::holds_alternative<double>(literal)     ? FieldKind::kReal
                   : std::holds_alternative<bool>(literal)       ? FieldKind::kBoolean
                                                                 : FieldKind::kText;
    result->literal = nullptr;
    return result;
  }

  /// Something that is no operation, where something true or false is wanted.
  Result<Sql> truth(const Expression& expression) const {
    Result<Operand> result = operand(expression);
    if (!result) return std::move(result).error();
    if (result->literal != nullptr) return truthOf(*result);
    Sql test;
    if (result->json) {
      test = result->json->boolean();
    } else if (isNumeric(result->kind)) {
      test = Sql("CAST(").add(result->sql).add(" AS BOOLEAN)");
    } else {
      return illegalType("a condition", *result);
    }
    return result->rows ? anyOf(*result->rows, {&*result}, test) : test;
  }

  static Result<Sql> truthOf(const Operand& operand) {
    const Literal& literal = *operand.literal;
    if (operand.isNull()) return Sql(kUnknown);
    if (std::holds_alternative<Composite>(literal)) return illegalType("a condition", operand);
    const auto* text = std::get_if<std::string>(&literal);
    const auto* integer = std::get_if<std::int64_t>(&literal);
    const auto* number = std::get_if<double>(&literal);
    const auto* boolean = std::get_if<bool>(&literal);
    const bool holds = (text != nullptr && !text->empty()) ||
                       (integer != nullptr && *integer != 0) ||
                       (number != nullptr && *number != 0) || (boolean != nullptr && *boolean);
    return Sql(holds ? "TRUE" : "FALSE");
  }

  Result<Sql> comparison(const Expression& expression, Need need) const {
    const Result<Operand> left = operand(expression.operands[0]);
    if (!left) return left.error();
    const Result<Operand> right = operand(expression.operands[1]);
    if (!right) return right.error();
    // Literals stand on the right, and null behind everything.
    const bool turn = left->literal != nullptr && (right->literal == nullptr || left->isNull());
    const Operand& a = turn ? *right : *left;
    const Operand& b = turn ? *left : *right;
    const Operator op = turn ? mirrored(expression.op) : expression.op;
    if (b.isNull()) return op == Operator::kEq ? absence(a) : Result<Sql>(Sql(kUnknown));

    const Result<std::optional<OtherRows>> rows = rowsOf({&a, &b});
    if (!rows) return rows.error();
    const Need inner = rows->has_value() ? Need::kTruth : need;
    Result<Sql> test = b.literal != nullptr ? compareWithLiteral(op, a, b, inner)
                                            : compareValues(op, a, b);
    if (!test || !rows->has_value()) return test;
    return anyOf(**rows, {&a, &b}, *test);
  }

  static Result<Sql> absence(const Operand& operand) {
    if (operand.literal != nullptr) return Sql(operand.isNull() ? "TRUE" : "FALSE");
    if (operand.rows) {
      return Sql("(NOT ").add(converted(operand, Conversion::kExists).sql).add(")");
    }
    if (operand.json) return Sql("FALSE");
    return Sql("(").add(operand.sql).add(" IS NULL)");
  }

  static Result<Sql> compareWithLiteral(Operator op,
                                        const Operand& value,
                                        const Operand& literal,
                                        Need need) {
    if (value.literal != nullptr) return compareLiterals(op, value, literal);
    if (value.json) return compareJson(op, value, literal, need);
    const Result<Sql> right = literalAs(value.kind, literal, value);
    if (!right) return right;
    const bool number = isNumericLiteral(*literal.literal) &&
                        !std::holds_alternative<bool>(*literal.literal);
    return parenthesised(infix(besides(value, number), signOf(op), *right));
  }

  static Result<Sql> compareLiterals(Operator op, const Operand& left, const Operand& right) {
    const bool numbers = isNumericLiteral(*left.literal) && isNumericLiteral(*right.literal);
    const bool texts = std::holds_alternative<std::string>(*left.literal) &&
                       std::holds_alternative<std::string>(*right.literal);
    if (!numbers && !texts) return noCommonType(left, right);
    const Result<Sql> a = literalSql(left);
    const Result<Sql> b = literalSql(right);
    if (!a || !b) return a ? b : a;
    return parenthesised(infix(numericSql(*a, numbers), signOf(op), numericSql(*b, numbers)));
  }

  static Sql numericSql(const Sql& sql, bool number) {
    return number ? Sql("CAST(").add(sql).add(" AS DOUBLE)") : sql;
  }

  static Result<Sql> compareJson(Operator op,
                                 const Operand& value,
                                 const Operand& literal,
                                 Need need) {
    const JsonValue& json = *value.json;
    if (const auto* text = std::get_if<std::string>(literal.literal)) {
      if (op == Operator::kEq) return parenthesised(json.equals(*text, need));
      return parenthesised(json.compares(signOf(op), *text));
    }
    if (const auto* integer = std::get_if<std::int64_t>(literal.literal)) {
      return parenthesised(infix(json.integer(), signOf(op), Sql().param(*integer)));
    }
    if (const auto* number = std::get_if<double>(literal.literal)) {
      return parenthesised(infix(json.real(), signOf(op), Sql().param(*number)));
    }
    if (const auto* boolean = std::get_if<bool>(literal.literal)) {
      return parenthesised(
          infix(json.boolean(), signOf(op), Sql(*boolean ? "TRUE" : "FALSE")));
    }
    return noCommonType(value, literal);
  }

  static Result<Sql> compareValues(Operator op, const Operand& left, const Operand& right) {
    const FieldKind a = left.json ? FieldKind::kText : left.kind;
    const FieldKind b = right.json ? FieldKind::kText : right.kind;
    const bool numbers = isNumeric(a) && isNumeric(b);
    if ((a != b && !numbers) || a == FieldKind::kTexts) return noCommonType(left, right);
    const auto sql = [numbers, same = a == b](const Operand& operand) {
      return operand.json ? operand.json->text() : besides(operand, numbers && !same);
    };
    return parenthesised(infix(sql(left), signOf(op), sql(right)));
  }

  static Sql parenthesised(const Sql& sql) { return Sql("(").add(sql).add(")"); }

  Result<Sql> membership(const Expression& expression) const {
    const Result<Operand> tested = operand(expression.operands[0]);
    if (!tested) return tested.error();
    std::vector<Operand> literals;
    std::vector<Sql> tests;
    std::vector<const Operand*> together = {&*tested};
    std::vector<Operand> others;
    for (std::size_t i = 1; i < expression.operands.size(); ++i) {
      Result<Operand> item = operand(expression.operands[i]);
      if (!item) return std::move(item).error();
      if (item->isNull()) continue;
      (item->literal != nullptr ? literals : others).push_back(*std::move(item));
    }
    for (const Operand& other : others) together.push_back(&other);
    const Result<std::optional<OtherRows>> rows = rowsOf(together);
    if (!rows) return rows.error();

    if (!literals.empty()) {
      Result<Sql> test = amongLiterals(*tested, literals);
      if (!test) return test;
      tests.push_back(*std::move(test));
    }
    for (const Operand& other : others) {
      Result<Sql> test = tested->literal != nullptr
                             ? compareWithLiteral(Operator::kEq, other, *tested, Need::kExact)
                             : compareValues(Operator::kEq, *tested, other);
      if (!test) return test;
      tests.push_back(*std::move(test));
    }
    if (tests.empty() || tested->isNull()) return Sql("FALSE");
    Sql any("(");
    for (const Sql& test : tests) any.add(any.text.size() > 1 ? " OR " : "").add(test);
    any.add(")");
    return rows->has_value() ? anyOf(**rows, together, any) : any;
  }

  static Result<Sql> amongLiterals(const Operand& tested, const std::vector<Operand>& literals) {
    if (tested.json) return jsonAmong(*tested.json, literals);
    Sql list(" IN (");
    for (const Operand& literal : literals) {
      const Result<Sql> item = tested.literal != nullptr ? literalSql(literal)
                                                         : literalAs(tested.kind, literal, tested);
      if (!item) return item;
      list.add(&literal == literals.data() ? "" : ", ").add(*item);
    }
    list.add(")");
    if (tested.literal == nullptr) {
      const bool number = std::any_of(literals.begin(), literals.end(), [](const Operand& literal) {
        return isNumericLiteral(*literal.literal) && !std::holds_alternative<bool>(*literal.literal);
      });
      return parenthesised(Sql(besides(tested, number)).add(list));
    }
    for (const Operand& literal : literals) {
      const Result<Sql> comparable = compareLiterals(Operator::kEq, tested, literal);
      if (!comparable) return comparable;
    }
    const Result<Sql> value = literalSql(tested);
    if (!value) return value;
    return parenthesised(Sql(*value).add(list));
  }

  /// All literals of one type decide the reading; of a mixture only the texts can match.
  static Sql jsonAmong(const JsonValue& json, const std::vector<Operand>& literals) {
    std::set<std::size_t> types;
    std::vector<std::string> texts;
    Sql list(" IN (");
    for (const Operand& operand : literals) {
      const Literal& literal = *operand.literal;
      types.insert(literal.index());
      list.add(&operand == literals.data() ? "" : ", ");
      if (const auto* text = std::get_if<std::string>(&literal)) {
        texts.push_back(*text);
      } else if (const auto* integer = std::get_if<std::int64_t>(&literal)) {
        list.param(*integer);
      } else if (const auto* number = std::get_if<double>(&literal)) {
        list.add("CAST(").param(*number).add(" AS DOUBLE)");
      } else if (const auto* boolean = std::get_if<bool>(&literal)) {
        list.add(*boolean ? "TRUE" : "FALSE");
      }
    }
    list.add(")");
    const auto integers = types.count(Literal(std::int64_t{0}).index());
    const auto numbers = types.count(Literal(0.0).index());
    const auto booleans = types.count(Literal(false).index());
    if (types.size() == integers) return json.integer().add(list);
    if (types.size() == integers + numbers) return json.real().add(list);
    if (types.size() == booleans) return json.boolean().add(list);
    return texts.empty() ? Sql("FALSE") : json.isAmong(texts);
  }

  Result<Sql> containment(const Expression& expression, Need need) const {
    const Result<Operand> input = operand(expression.operands[0]);
    if (!input) return input.error();
    const Result<Operand> needle = operand(expression.operands[1]);
    if (!needle) return needle.error();
    const Result<std::optional<OtherRows>> rows = rowsOf({&*input, &*needle});
    if (!rows) return rows.error();
    const Need inner = rows->has_value() ? Need::kTruth : need;
    Result<Sql> test = contains(*input, *needle, expression.case_insensitive, inner);
    if (!test || !rows->has_value()) return test;
    return anyOf(**rows, {&*input, &*needle}, *test);
  }

  static Result<Sql> contains(const Operand& input,
                              const Operand& needle,
                              bool case_insensitive,
                              Need need) {
    if (input.isNull() || needle.isNull()) return Sql(kUnknown);
    const Result<Sql> part = needleSql(needle);
    if (!part) return part;
    if (input.json && needle.literal != nullptr) {
      return input.json->contains(std::get<std::string>(*needle.literal), case_insensitive, need);
    }
    const std::string_view lower = case_insensitive ? "lower(" : "(";
    if (input.kind == FieldKind::kTexts && !input.json && input.literal == nullptr) {
      const Sql list = case_insensitive
                           ? Sql("list_transform(").add(input.sql).add(", lambda t: lower(t))")
                           : input.sql;
      return Sql("list_contains(").add(list).add(", ").add(lower).add(*part).add("))");
    }
    const Result<Sql> whole = input.literal != nullptr ? textLiteral(input) : textOf(input);
    if (!whole) return whole;
    return Sql("contains(")
        .add(lower)
        .add(*whole)
        .add("), ")
        .add(lower)
        .add(*part)
        .add("))");
  }

  static Result<Sql> needleSql(const Operand& needle) {
    return needle.literal != nullptr ? textLiteral(needle) : textOf(needle);
  }
  static Result<Sql> textLiteral(const Operand& literal) {
    if (std::holds_alternative<std::string>(*literal.literal)) return literalSql(literal);
    return illegalType("$contains", literal);
  }
  static Result<Sql> textOf(const Operand& operand) {
    if (operand.json) return operand.json->text();
    if (operand.kind == FieldKind::kText) return operand.sql;
    return illegalType("$contains", operand);
  }

  const Fields& fields_;
};

void addKey(Sql& order, const Sql& value, bool descending) {
  order.add(value).add(descending ? " DESC NULLS LAST" : " ASC NULLS LAST");
}

}  // namespace

Result<Sql> compileCondition(const Query& query, const Fields& fields) {
  return Compiler(fields).condition(query.expression, Need::kTruth);
}

Result<Sql> compileSort(const std::vector<SortKey>& keys, const Fields& fields) {
  Sql order;
  for (const SortKey& key : keys) {
    Result<Field> field = fields.resolve(key.field);
    if (!field) return std::move(field).error();
    Sql value = std::move(field->sql);
    if (field->rows) {
      value = Sql("(SELECT arg_max(")
                  .add(value)
                  .add(", ")
                  .add(field->rows->newest)
                  .add(") ")
                  .add(field->rows->source)
                  .add(")");
    }
    if (!order.text.empty()) order.add(", ");
    if (field->kind != FieldKind::kJson) {
      addKey(order, value, key.descending);
      continue;
    }
    const Sql text = JsonValue(std::move(value), field->path).looseText();
    order.add(Sql(text).add(" IS NULL, "));
    addKey(order, Sql("TRY_CAST(").add(text).add(" AS DOUBLE)"), key.descending);
    addKey(order.add(", "), text, key.descending);
  }
  return order;
}

std::vector<SortKey> withTieBreak(std::vector<SortKey> keys,
                                  std::string_view id,
                                  std::string_view time) {
  const bool listed = std::any_of(keys.begin(), keys.end(),
                                  [id](const SortKey& key) { return key.field == id; });
  if (keys.empty() || listed) return keys;
  const bool descending = keys.back().field != time || keys.back().descending;
  keys.push_back({std::string(id), descending});
  return keys;
}

}  // namespace spindle::query
