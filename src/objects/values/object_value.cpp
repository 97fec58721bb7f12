#include "objects/values/object_value.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "json/document.h"
#include "json/stored.h"
#include "wire/spelling.h"

namespace spindle::objects {
namespace {

using json::Node;

json::Document parsed(std::string_view json) { return json::parseStored(std::string(json)); }

std::optional<std::string> textMember(const Node& object, std::string_view name) {
  const std::optional<Node> member = object.find(name);
  if (!member || !member->isString()) return std::nullopt;
  return member->text();
}

/// Returns true if a value stored in files declares that it is an op.
bool isOp(const Node& object) {
  if (!object.find("_type")) return false;
  for (auto at = object.begin(); at != object.end(); ++at) {
    const Node name = *at;
    ++at;
    const Node member = *at;
    if (!wire::isValueTypeMember(name.text()) || !member.isObject()) continue;
    if (textMember(member, "type") == "Op") return true;
  }
  return false;
}

std::vector<std::string> basesOf(const Node& object) {
  std::vector<std::string> names;
  const std::optional<Node> bases = object.find("_bases");
  if (!bases || !bases->isArray()) return names;
  for (const Node base : *bases) {
    if (!base.isString()) return {};
    names.push_back(base.text());
  }
  return names;
}

std::optional<std::string> baseClass(const Node& object) {
  const std::vector<std::string> bases = basesOf(object);
  const std::size_t count = bases.size();
  if (count < 2 || bases[count - 1] != "BaseModel") return std::nullopt;
  if (bases[count - 2] != "Object" && bases[count - 2] != "BaseObject") return std::nullopt;
  return count > 2 ? std::optional(bases[count - 3]) : textMember(object, "_class_name");
}

std::optional<Node> step(const Node& node, const RefEdge& edge) {
  switch (edge.kind) {
    case RefEdge::Kind::kAttribute:
    case RefEdge::Kind::kKey:
      return node.isObject() ? node.find(edge.value) : std::nullopt;
    case RefEdge::Kind::kIndex: {
      std::size_t index = 0;
      const char* const end = edge.value.data() + edge.value.size();
      const auto [stop, problem] = std::from_chars(edge.value.data(), end, index);
      if (!node.isArray() || problem != std::errc() || index >= node.size()) return std::nullopt;
      auto at = node.begin();
      for (; index > 0; --index) ++at;
      return *at;
    }
    case RefEdge::Kind::kRow:
      return std::nullopt;
  }
  return std::nullopt;
}

bool isRef(const Node& node) {
  if (!node.isString()) return false;
  const std::optional<std::string_view> plain = node.plainText();
  const std::string text = plain ? std::string() : node.text();
  return wire::splitRef(plain.value_or(text)).scheme == wire::RefScheme::kInternal;
}

}  // namespace

ObjectClasses classesOf(std::string_view json) {
  const json::Document document = parsed(json);
  const Node root = document.root();
  ObjectClasses classes;
  if (!root.isObject()) return classes;
  if (isOp(root)) classes.kind = ObjectKind::kOp;
  classes.base = baseClass(root);
  classes.leaf = textMember(root, "_class_name");
  return classes;
}

WalkResult walk(std::string_view json, const std::vector<RefEdge>& edges, std::size_t first) {
  if (first == edges.size()) return {WalkResult::Kind::kValue, std::string(json), first};
  const json::Document document = parsed(json);
  Node node = document.root();
  for (std::size_t i = first; i < edges.size(); ++i) {
    if (isRef(node)) return {WalkResult::Kind::kRef, node.text(), i};
    const std::optional<Node> found = step(node, edges[i]);
    if (!found) return {};
    node = *found;
  }
  if (isRef(node)) return {WalkResult::Kind::kRef, node.text(), edges.size()};
  return {WalkResult::Kind::kValue, std::string(node.raw()), edges.size()};
}

}  // namespace spindle::objects
