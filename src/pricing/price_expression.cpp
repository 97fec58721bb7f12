#include "pricing/price_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/utf8.h"

namespace spindle::pricing {
namespace {

using query::Conversion, query::Expression, query::Operator;

constexpr auto kFields = std::to_array<PriceField>({
    {"id", [](const Price& price, std::string_view) -> PriceValue { return price.id; }},
    {"llm_id", [](const Price& price, std::string_view) -> PriceValue { return price.llm_id; }},
    {"prompt_token_cost",
     [](const Price& price, std::string_view) -> PriceValue { return price.tokens.prompt; }},
    {"completion_token_cost",
     [](const Price& price, std::string_view) -> PriceValue { return price.tokens.completion; }},
    {"cache_read_input_token_cost",
     [](const Price& price, std::string_view) -> PriceValue { return price.tokens.cache_read; }},
    {"cache_creation_input_token_cost",
     [](const Price& price, std::string_view) -> PriceValue {
       return price.tokens.cache_creation;
     }},
    {"prompt_token_cost_unit",
     [](const Price& price, std::string_view) -> PriceValue { return price.prompt_unit; }},
    {"completion_token_cost_unit",
     [](const Price& price, std::string_view) -> PriceValue { return price.completion_unit; }},
    {"effective_date",
     [](const Price& price, std::string_view) -> PriceValue { return price.effective_date; }},
    {"provider_id",
     [](const Price& price, std::string_view) -> PriceValue { return price.provider_id; }},
    {"pricing_level",
     [](const Price& price, std::string_view) -> PriceValue {
       return std::string(textOf(price.level));
     }},
    {"pricing_level_id",
     [](const Price&, std::string_view project) -> PriceValue { return std::string(project); }},
    {"created_by",
     [](const Price& price, std::string_view) -> PriceValue { return price.created_by; }},
    {"created_at",
     [](const Price& price, std::string_view) -> PriceValue { return price.created_at; }},
});

std::optional<double> numberOf(const std::string& text) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Converts a value to the type of the other side, if possible.
Result<PriceValue> coerced(const PriceValue& value, const PriceValue& other) {
  if (value.index() == other.index()) return value;
  const auto* text = std::get_if<std::string>(&value);
  const auto* number = std::get_if<double>(&value);
  if (std::holds_alternative<Timestamp>(other)) {
    if (text != nullptr) {
      if (const ParsedTimestamp time = parseTimestamp(*text)) return PriceValue(*time.value);
    } else if (number != nullptr) {
      if (const std::optional<Timestamp> time = timestampFromUnix(*number))
        return PriceValue(*time);
    }
  } else if (std::holds_alternative<double>(other) && text != nullptr) {
    if (const std::optional<double> read = numberOf(*text)) return PriceValue(*read);
  } else if (std::holds_alternative<double>(other) && std::holds_alternative<bool>(value)) {
    return PriceValue(std::get<bool>(value) ? 1.0 : 0.0);
  }
  return Error::invalidArgument("No common type for the two sides of a comparison");
}

std::string toText(const PriceValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* time = std::get_if<Timestamp>(&value)) return formatTimestamp(*time);
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), std::get<double>(value));
  return {digits.data(), end.ptr};
}

/// Evaluates an expression for one price. Evaluates every operand without short-circuit, so that an
/// invalid query fails regardless of the data.
class Evaluation {
 public:
  Evaluation(const Price& price, std::string_view project) : price_(price), project_(project) {}

  Result<PriceValue> valueOf(const Expression& expression) const {
    switch (expression.op) {
      case Operator::kLiteral:
        return literalOf(expression.literal);
      case Operator::kField: {
        const PriceField* field = findPriceField(expression.field);
        if (field == nullptr) return unknownPriceField(expression.field);
        return field->of(price_, project_);
      }
      case Operator::kConvert:
        return convert(expression);
      case Operator::kSize:
        return sizeOf(expression);
      case Operator::kAnd:
      case Operator::kOr:
        return combine(expression);
      case Operator::kNot:
        return negate(expression);
      case Operator::kIn:
        return isAmong(expression);
      case Operator::kContains:
        return contains(expression);
      case Operator::kEq:
      case Operator::kGt:
      case Operator::kLt:
      case Operator::kGte:
      case Operator::kLte:
        break;
    }
    return compare(expression);
  }

 private:
  static Result<PriceValue> literalOf(const query::Literal& literal) {
    if (const auto* text = std::get_if<std::string>(&literal)) return PriceValue(*text);
    if (const auto* integer = std::get_if<std::int64_t>(&literal))
      return PriceValue(static_cast<double>(*integer));
    if (const auto* number = std::get_if<double>(&literal)) return PriceValue(*number);
    if (const auto* truth = std::get_if<bool>(&literal)) return PriceValue(*truth);
    return PriceValue();
  }

  static PriceValue truthOf(std::optional<bool> truth) {
    return truth ? PriceValue(*truth) : PriceValue();
  }

  Result<std::optional<bool>> truthOf(const Expression& expression) const {
    const PriceValue value = TRY(valueOf(expression));
    if (std::holds_alternative<std::monostate>(value)) return std::optional<bool>();
    const auto* truth = std::get_if<bool>(&value);
    if (truth == nullptr)
      return Error::denied("Illegal type of an argument: a condition is true or false");
    return std::optional<bool>(*truth);
  }

  /// Three-valued: false decides `$and`, true decides `$or`, otherwise unknown wins.
  Result<PriceValue> combine(const Expression& expression) const {
    const bool all = expression.op == Operator::kAnd;
    if (expression.operands.empty())
      return Error::invalidArgument(all ? "Empty AND operation" : "Empty OR operation");
    bool decided = false;
    bool unknown = false;
    for (const Expression& operand : expression.operands) {
      const std::optional<bool> truth = TRY(truthOf(operand));
      unknown = unknown || !truth.has_value();
      decided = decided || truth == std::optional<bool>(!all);
    }
    if (decided) return PriceValue(!all);
    return unknown ? PriceValue() : PriceValue(all);
  }

  Result<PriceValue> negate(const Expression& expression) const {
    const std::optional<bool> truth = TRY(truthOf(expression.operands.front()));
    return truth ? PriceValue(!*truth) : PriceValue();
  }

  static Result<std::optional<bool>> compared(Operator op,
                                              const PriceValue& left,
                                              const PriceValue& right) {
    const bool no_left = std::holds_alternative<std::monostate>(left);
    const bool no_right = std::holds_alternative<std::monostate>(right);
    if (no_left || no_right) {
      if (op == Operator::kEq) return std::optional<bool>(no_left && no_right);
      return std::optional<bool>();
    }
    const Result<PriceValue> a = coerced(left, right);
    const PriceValue b = TRY(a ? Result<PriceValue>(right) : coerced(right, left));
    const PriceValue& first = a ? *a : left;
    switch (op) {
      case Operator::kGt:
        return std::optional<bool>(first > b);
      case Operator::kLt:
        return std::optional<bool>(first < b);
      case Operator::kGte:
        return std::optional<bool>(first >= b);
      case Operator::kLte:
        return std::optional<bool>(first <= b);
      default:
        return std::optional<bool>(first == b);
    }
  }

  Result<PriceValue> compare(const Expression& expression) const {
    const PriceValue left = TRY(valueOf(expression.operands[0]));
    const PriceValue right = TRY(valueOf(expression.operands[1]));
    const std::optional<bool> truth = TRY(compared(expression.op, left, right));
    return truthOf(truth);
  }

  Result<PriceValue> isAmong(const Expression& expression) const {
    const PriceValue input = TRY(valueOf(expression.operands.front()));
    bool found = false;
    for (std::size_t i = 1; i < expression.operands.size(); ++i) {
      const PriceValue candidate = TRY(valueOf(expression.operands[i]));
      const std::optional<bool> same = TRY(compared(Operator::kEq, input, candidate));
      found = found || same.value_or(false);
    }
    return PriceValue(found);
  }

  Result<PriceValue> contains(const Expression& expression) const {
    const PriceValue input = TRY(valueOf(expression.operands[0]));
    const PriceValue part = TRY(valueOf(expression.operands[1]));
    const auto* text = std::get_if<std::string>(&input);
    const auto* needle = std::get_if<std::string>(&part);
    if (text == nullptr || needle == nullptr)
      return Error::denied("Illegal type of an argument of $contains: texts expected");
    if (!expression.case_insensitive) return PriceValue(text->find(*needle) != std::string::npos);
    return PriceValue(lowerCase(*text).find(lowerCase(*needle)) != std::string::npos);
  }

  Result<PriceValue> sizeOf(const Expression& expression) const {
    const PriceValue input = TRY(valueOf(expression.operands.front()));
    const auto* text = std::get_if<std::string>(&input);
    if (text == nullptr)
      return Error::denied("Illegal type of an argument of $size: text expected");
    return PriceValue(static_cast<double>(charactersIn(*text)));
  }

  Result<PriceValue> convert(const Expression& expression) const {
    PriceValue input = TRY(valueOf(expression.operands.front()));
    const bool null = std::holds_alternative<std::monostate>(input);
    if (expression.conversion == Conversion::kExists) return PriceValue(!null);
    if (null) return PriceValue();
    if (expression.conversion == Conversion::kString) return PriceValue(toText(input));
    const Result<PriceValue> number = coerced(input, PriceValue(0.0));
    if (!number) return PriceValue();
    const double read = std::get<double>(*number);
    if (expression.conversion == Conversion::kBool) return PriceValue(read != 0);
    const bool whole =
        read == static_cast<double>(static_cast<std::int64_t>(std::clamp(read, -9e18, 9e18)));
    if (expression.conversion == Conversion::kInt && !whole) return PriceValue();
    return PriceValue(read);
  }

  const Price& price_;
  std::string_view project_;
};

}  // namespace

const PriceField* findPriceField(std::string_view name) {
  const auto* found = std::find_if(kFields.begin(), kFields.end(),
                                   [name](const PriceField& field) { return field.name == name; });
  return found == kFields.end() ? nullptr : found;
}

Error unknownPriceField(const std::string& name) {
  return Error::invalidArgument("Unknown field: " + name);
}

Result<bool> matches(const Price& price, const query::Query& query, std::string_view project) {
  const PriceValue value = TRY(Evaluation(price, project).valueOf(query.expression));
  const auto* truth = std::get_if<bool>(&value);
  return truth != nullptr && *truth;
}

}  // namespace spindle::pricing
