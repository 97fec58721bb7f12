#include "feedback/json_schema.h"

#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <re2/re2.h>

#include "base/core/utf8.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::feedback {
namespace {

using json::Kind;
using json::Node;

constexpr int kMaxSchemaDepth = 32;
/// Limit on the work of a check, because clients supply both schema and value.
constexpr std::size_t kMaxSteps = 200'000;

std::optional<double> numberAt(const Node& schema, std::string_view keyword) {
  const std::optional<Node> found = schema.find(keyword);
  if (!found || !found->isNumber()) return std::nullopt;
  return found->number();
}

bool isWhole(const Node& value) {
  return value.kind() == Kind::kInteger ||
         (value.isNumber() && value.number() == std::floor(value.number()));
}

bool isOfType(const Node& value, std::string_view type) {
  if (type == "null") return value.isNull();
  if (type == "boolean") return value.isBool();
  if (type == "integer") return isWhole(value);
  if (type == "number") return value.isNumber();
  if (type == "string") return value.isString();
  if (type == "array") return value.isArray();
  if (type == "object") return value.isObject();
  return true;
}

bool sameValue(const Node& a, const Node& b) {
  if (a.isNumber() && b.isNumber()) return a.number() == b.number();
  if (a.isString() && b.isString()) return a.text() == b.text();
  return json::compact(a.raw()) == json::compact(b.raw());
}

/// Checks one value; stops at the first violation.
class Checker {
 public:
  std::optional<std::string> check(const Node& value, const Node& schema, int depth) {
    if (++steps_ > kMaxSteps) return "takes too long to check";
    if (!schema.isObject() || depth > kMaxSchemaDepth) return std::nullopt;
    if (auto complaint = checkType(value, schema)) return complaint;
    if (auto complaint = checkChoices(value, schema)) return complaint;
    if (value.isNumber()) {
      if (auto complaint = checkNumber(value.number(), schema)) return complaint;
    }
    if (value.isString()) {
      if (auto complaint = checkText(value.text(), schema)) return complaint;
    }
    if (value.isArray()) {
      if (auto complaint = checkItems(value, schema, depth)) return complaint;
    }
    if (value.isObject()) {
      if (auto complaint = checkMembers(value, schema, depth)) return complaint;
    }
    return checkCombined(value, schema, depth);
  }

 private:
  static std::optional<std::string> checkType(const Node& value, const Node& schema) {
    const std::optional<Node> type = schema.find("type");
    if (!type) return std::nullopt;
    if (type->isString()) {
      if (isOfType(value, type->text())) return std::nullopt;
      return "is not of type '" + type->text() + "'";
    }
    if (!type->isArray()) return std::nullopt;
    for (const Node one : *type) {
      if (one.isString() && isOfType(value, one.text())) return std::nullopt;
    }
    return "is of none of the types " + std::string(type->raw());
  }

  static std::optional<std::string> checkChoices(const Node& value, const Node& schema) {
    const std::optional<Node> constant = schema.find("const");
    if (constant && !sameValue(value, *constant)) {
      return "is not " + std::string(constant->raw());
    }
    const std::optional<Node> choices = schema.find("enum");
    if (!choices || !choices->isArray()) return std::nullopt;
    for (const Node choice : *choices) {
      if (sameValue(value, choice)) return std::nullopt;
    }
    return "is not one of " + std::string(choices->raw());
  }

  static std::optional<std::string> checkNumber(double value, const Node& schema) {
    const auto bound = [](std::string_view text, double limit) {
      return "is " + std::string(text) + " " + json::shortestNumber(limit);
    };
    const auto least = numberAt(schema, "minimum");
    if (least && value < *least) return bound("less than the minimum of", *least);
    const auto most = numberAt(schema, "maximum");
    if (most && value > *most) return bound("greater than the maximum of", *most);
    const auto above = numberAt(schema, "exclusiveMinimum");
    if (above && value <= *above) return bound("not greater than", *above);
    const auto below = numberAt(schema, "exclusiveMaximum");
    if (below && value >= *below) return bound("not less than", *below);
    const auto step = numberAt(schema, "multipleOf");
    if (step && *step > 0) {
      const double parts = value / *step;
      if (std::abs(parts - std::round(parts)) > 1e-9) return bound("not a multiple of", *step);
    }
    return std::nullopt;
  }

  static std::optional<std::string> checkText(const std::string& text, const Node& schema) {
    const auto length = static_cast<double>(charactersIn(text));
    const auto least = numberAt(schema, "minLength");
    if (least && length < *least) return "is too short";
    const auto most = numberAt(schema, "maxLength");
    if (most && length > *most) return "is too long";
    const std::optional<Node> pattern = schema.find("pattern");
    if (pattern && pattern->isString()) {
      const RE2 expression(pattern->text(), RE2::Quiet);
      if (expression.ok() && !RE2::PartialMatch(text, expression)) {
        return "does not match '" + pattern->text() + "'";
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> checkItems(const Node& list, const Node& schema, int depth) {
    const auto size = static_cast<double>(list.size());
    const auto least = numberAt(schema, "minItems");
    if (least && size < *least) return "has too few items";
    const auto most = numberAt(schema, "maxItems");
    if (most && size > *most) return "has too many items";
    const std::optional<Node> items = schema.find("items");
    if (!items) return std::nullopt;
    for (const Node item : list) {
      if (auto complaint = check(item, *items, depth + 1)) return "has an item that " + *complaint;
    }
    return std::nullopt;
  }

  std::optional<std::string> checkMembers(const Node& object, const Node& schema, int depth) {
    const std::optional<Node> required = schema.find("required");
    if (required && required->isArray()) {
      for (const Node name : *required) {
        if (name.isString() && !object.find(name.text())) return "has no '" + name.text() + "'";
      }
    }
    const std::optional<Node> properties = schema.find("properties");
    const std::optional<Node> extra = schema.find("additionalProperties");
    for (auto at = object.begin(); at != object.end(); ++at) {
      const std::string name = (*at).text();
      ++at;
      const std::optional<Node> known =
          properties && properties->isObject() ? properties->find(name) : std::nullopt;
      if (!known && extra && extra->kind() == Kind::kFalse) return "has an unknown '" + name + "'";
      const std::optional<Node>& rule = known ? known : extra;
      if (!rule) continue;
      if (auto complaint = check(*at, *rule, depth + 1)) {
        return "has a '" + name + "' that " + *complaint;
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> checkCombined(const Node& value, const Node& schema, int depth) {
    const auto fitting = [&](const Node& alternatives) {
      std::size_t count = 0;
      for (const Node one : alternatives) count += check(value, one, depth + 1) ? 0 : 1;
      return count;
    };
    const std::optional<Node> any = schema.find("anyOf");
    if (any && any->isArray() && fitting(*any) == 0) return "matches no schema of anyOf";
    const std::optional<Node> one = schema.find("oneOf");
    if (one && one->isArray() && fitting(*one) != 1)
      return "does not match exactly one schema of oneOf";
    const std::optional<Node> all = schema.find("allOf");
    if (all && all->isArray() && fitting(*all) != all->size())
      return "does not match all schemas of allOf";
    const std::optional<Node> negated = schema.find("not");
    if (negated && !check(value, *negated, depth + 1)) return "matches the schema of not";
    return std::nullopt;
  }

  std::size_t steps_ = 0;
};

}  // namespace

Result<void> checkAgainstSchema(std::string_view value, std::string_view schema) {
  const auto parsed_value = json::Document::parse(std::string(value), json::kStoredDepth);
  const auto parsed_schema = json::Document::parse(std::string(schema), json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed_value);
  const auto* rules = std::get_if<json::Document>(&parsed_schema);
  if (document == nullptr || rules == nullptr) {
    return Error::invalidArgument("Value or schema is not JSON");
  }
  std::optional<std::string> complaint = Checker().check(document->root(), rules->root(), 0);
  if (!complaint) return {};
  std::string shown(value.substr(0, 128));
  return Error::invalidArgument("Value " + shown + " " + *complaint);
}

}  // namespace spindle::feedback
