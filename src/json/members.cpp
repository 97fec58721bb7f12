#include "json/members.h"

namespace spindle::json {

std::optional<Node> memberOf(const Node& object, std::string_view name) {
  return object.isObject() ? object.find(name) : std::nullopt;
}

std::string textIn(const Node& object, std::string_view name) {
  const std::optional<Node> member = memberOf(object, name);
  return member && member->isString() ? member->text() : std::string();
}

std::int64_t integerIn(const Node& object, std::string_view name, std::int64_t otherwise) {
  const std::optional<Node> member = memberOf(object, name);
  if (!member || member->kind() != Kind::kInteger) return otherwise;
  return member->integer().value_or(otherwise);
}

std::optional<Node> objectIn(const Node& object, std::string_view name) {
  const std::optional<Node> member = memberOf(object, name);
  return member && member->isObject() ? member : std::nullopt;
}

std::optional<Node> arrayIn(const Node& object, std::string_view name) {
  const std::optional<Node> member = memberOf(object, name);
  return member && member->isArray() ? member : std::nullopt;
}

}  // namespace spindle::json
