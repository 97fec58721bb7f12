#include "evaluation/results/result_filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "json/document.h"
#include "json/writer.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::evaluation {
namespace {

using query::Conversion, query::Expression, query::Literal, query::Operator;

/// An operand. Monostate is unknown or null.
struct Value {
  std::variant<std::monostate, std::string, std::int64_t, double, bool> is = {};
  bool field = false;  ///< true: a text whose type the other operand decides

  bool isNull() const { return std::holds_alternative<std::monostate>(is); }
};

using Truth = std::optional<bool>;

template <class Number>
std::optional<Number> parsedNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<double> realOf(std::string_view text) {
  const std::optional<double> number = parsedNumber<double>(text);
  // from_chars() accepts words such as `inf` and `nan`; they are texts here.
  if (!number || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return std::nullopt;
  return number;
}

std::optional<bool> booleanOf(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  const std::optional<std::int64_t> number = parsedNumber<std::int64_t>(text);
  if (!number || *number < 0 || *number > 255) return std::nullopt;
  return *number != 0;
}

template <class T>
Value known(const std::optional<T>& value) {
  Value out;
  if (value) out.is = *value;
  return out;
}

std::string textOf(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.is)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value.is)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&value.is))
    return comparedText(json::shortestNumber(*real));
  if (const auto* flag = std::get_if<bool>(&value.is)) return *flag ? "true" : "false";
  return {};
}

/// Parses the text of a field as the type of the other operand.
Value readLike(const Value& value, const Value& peer) {
  if (!value.field) return value;
  const std::string text = textOf(value);
  if (std::holds_alternative<std::int64_t>(peer.is)) return known(parsedNumber<std::int64_t>(text));
  if (std::holds_alternative<double>(peer.is)) return known(realOf(text));
  if (std::holds_alternative<bool>(peer.is)) return known(booleanOf(text));
  return {text, false};
}

std::optional<double> asNumber(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.is))
    return static_cast<double>(*number);
  if (const auto* real = std::get_if<double>(&value.is)) return *real;
  if (const auto* flag = std::get_if<bool>(&value.is)) return *flag ? 1.0 : 0.0;
  return std::nullopt;
}

template <class T>
bool ordered(Operator op, const T& left, const T& right) {
  switch (op) {
    case Operator::kGt:
      return left > right;
    case Operator::kLt:
      return left < right;
    case Operator::kGte:
      return left >= right;
    case Operator::kLte:
      return left <= right;
    default:
      return left == right;
  }
}

Truth compare(Operator op, const Value& left_side, const Value& right_side) {
  const Value left = readLike(left_side, right_side);
  const Value right = readLike(right_side, left_side);
  if (left.isNull() || right.isNull()) return std::nullopt;
  const auto* left_text = std::get_if<std::string>(&left.is);
  const auto* right_text = std::get_if<std::string>(&right.is);
  if (left_text != nullptr && right_text != nullptr) return ordered(op, *left_text, *right_text);
  const std::optional<double> a = asNumber(left);
  const std::optional<double> b = asNumber(right);
  if (!a || !b) return std::nullopt;
  return ordered(op, *a, *b);
}

/// Evaluates an expression. Reads the fields on demand.
class FilterEvaluator {
 public:
  explicit FilterEvaluator(const FieldJson& field) : field_(field) {}

  Result<Truth> truth(const Expression& node) {
    switch (node.op) {
      case Operator::kAnd:
      case Operator::kOr:
        return combined(node);
      case Operator::kNot: {
        Result<Truth> inner = truth(node.operands[0]);
        if (inner && *inner) return Truth(!**inner);
        return inner;
      }
      case Operator::kEq:
      case Operator::kGt:
      case Operator::kLt:
      case Operator::kGte:
      case Operator::kLte: {
        const Value left = TRY(value(node.operands[0]));
        const Value right = TRY(value(node.operands[1]));
        return compare(node.op, left, right);
      }
      case Operator::kIn:
        return among(node);
      case Operator::kContains:
        return contains(node);
      case Operator::kLiteral:
      case Operator::kField:
      case Operator::kConvert:
      case Operator::kSize: {
        const Value operand = TRY(value(node));
        const Value flag = readLike(operand, Value{true});
        const auto* holds = std::get_if<bool>(&flag.is);
        return holds == nullptr ? Truth() : Truth(*holds);
      }
    }
    return Truth();
  }

 private:
  Result<Truth> combined(const Expression& node) {
    const bool is_and = node.op == Operator::kAnd;
    if (node.operands.empty())
      return Error::invalidArgument(is_and ? "Empty AND operation" : "Empty OR operation");
    bool known = true;
    for (const Expression& operand : node.operands) {
      const Truth one = TRY(truth(operand));
      if (one == Truth(!is_and)) return Truth(!is_and);
      if (!one) known = false;
    }
    return known ? Truth(is_and) : Truth();
  }

  Result<Truth> among(const Expression& node) {
    const Value tested = TRY(value(node.operands[0]));
    std::vector<Value> choices;
    bool any_real = false;
    bool only_numbers = true;
    bool same_kind = true;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const Value choice = TRY(value(node.operands[i]));
      any_real = any_real || std::holds_alternative<double>(choice.is);
      only_numbers = only_numbers && (std::holds_alternative<double>(choice.is) ||
                                      std::holds_alternative<std::int64_t>(choice.is));
      same_kind = same_kind && choice.is.index() == kindOf(choices, choice);
      choices.push_back(choice);
    }
    Truth found = false;
    for (Value& choice : choices) {
      // Without a common type, only texts can match.
      if (!same_kind && !only_numbers && !std::holds_alternative<std::string>(choice.is)) continue;
      if (only_numbers && any_real) choice.is = *asNumber(choice);
      const Truth equal = compare(Operator::kEq, tested, choice);
      if (equal == Truth(true)) return equal;
      if (!equal) found = std::nullopt;
    }
    return found;
  }
  static std::size_t kindOf(const std::vector<Value>& before, const Value& value) {
    return before.empty() ? value.is.index() : before.front().is.index();
  }

  Result<Truth> contains(const Expression& node) {
    const Value input = TRY(value(node.operands[0]));
    const Value needle = TRY(value(node.operands[1]));
    if (!std::holds_alternative<std::string>(needle.is))
      return Error::denied("illegal type of argument of $contains");
    std::string text = textOf(input);
    std::string part = textOf(needle);
    if (node.case_insensitive) {
      for (std::string* each : {&text, &part}) {
        std::transform(each->begin(), each->end(), each->begin(), toLower);
      }
    }
    return Truth(text.find(part) != std::string::npos);
  }

  Result<Value> value(const Expression& node) {
    switch (node.op) {
      case Operator::kLiteral:
        return literal(node.literal);
      case Operator::kField: {
        Value read{comparedText(field_(node.field).value_or("null"))};
        read.field = true;
        return read;
      }
      case Operator::kConvert:
        return converted(node);
      case Operator::kSize:
        return size(node.operands[0]);
      default: {
        const Truth inner = TRY(truth(node));
        return known(inner);
      }
    }
  }

  static Value literal(const Literal& literal) {
    if (const auto* text = std::get_if<std::string>(&literal)) return {*text};
    if (const auto* number = std::get_if<std::int64_t>(&literal)) return {*number};
    if (const auto* real = std::get_if<double>(&literal)) return {*real};
    if (const auto* flag = std::get_if<bool>(&literal)) return {*flag};
    return {};
  }

  Result<Value> converted(const Expression& node) {
    const Value operand = TRY(value(node.operands[0]));
    const std::string text = textOf(operand);
    switch (node.conversion) {
      case Conversion::kDouble:
        return known(realOf(text));
      case Conversion::kInt:
        return known(parsedNumber<std::int64_t>(text));
      case Conversion::kBool:
        return known(booleanOf(text));
      case Conversion::kString:
        return Value{text};
      case Conversion::kExists:
        return Value{operand.field || !operand.isNull()};
    }
    return Value();
  }

  Result<Value> size(const Expression& node) {
    if (node.op == Operator::kField) {
      auto outcome =
          json::Document::parse(field_(node.field).value_or("null"), tracing::kMaxBodyDepth);
      const auto* document = std::get_if<json::Document>(&outcome);
      if (document != nullptr && document->root().isArray())
        return Value{static_cast<std::int64_t>(document->root().size())};
    }
    const Value operand = TRY(value(node));
    return Value{static_cast<std::int64_t>(charactersIn(textOf(operand)))};
  }

  const FieldJson& field_;
};

}  // namespace

Result<std::optional<bool>> holds(const Expression& expression, const FieldJson& field) {
  return FilterEvaluator(field).truth(expression);
}

std::string comparedText(std::string_view json) {
  auto outcome = json::Document::parse(std::string(json), tracing::kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&outcome);
  if (document == nullptr || document->root().isNull()) return {};
  const json::Node root = document->root();
  if (root.isString()) return root.text();
  if (root.kind() == json::Kind::kDecimal) {
    std::string text = json::shortestNumber(root.number());
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  }
  if (root.isObject() || root.isArray()) return json::compact(root.raw());
  return std::string(root.raw());
}

std::optional<double> numberOf(std::string_view json) {
  if (json == "true") return 1.0;
  if (json == "false") return 0.0;
  auto outcome = json::Document::parse(std::string(json), tracing::kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&outcome);
  if (document == nullptr || !document->root().isNumber()) return std::nullopt;
  const double number = document->root().number();
  return std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
}

}  // namespace spindle::evaluation
