#include "evaluation/scoring/prompt_template.h"

#include <charconv>
#include <utility>
#include <variant>

#include "base/core/ascii.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;

std::optional<Node> itemAt(const Node& list, std::string_view position) {
  std::size_t index = 0;
  const auto [end, problem] =
      std::from_chars(position.data(), position.data() + position.size(), index);
  if (problem != std::errc() || end != position.data() + position.size()) return std::nullopt;
  if (index >= list.size()) return std::nullopt;
  auto item = list.begin();
  for (; index > 0; --index) ++item;
  return *item;
}

std::optional<Node> childOf(const Node& node, std::string_view name) {
  if (node.isObject()) return node.find(name);
  if (node.isArray()) return itemAt(node, name);
  return std::nullopt;
}

std::optional<Node> follow(const Node& node, std::string_view path) {
  if (path.empty()) return node;
  if (std::optional<Node> whole = childOf(node, path)) return whole;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
       dot = path.find('.', dot + 1)) {
    const std::optional<Node> child = childOf(node, path.substr(0, dot));
    if (!child) continue;
    if (std::optional<Node> found = follow(*child, path.substr(dot + 1))) return found;
  }
  return std::nullopt;
}

bool isNameCharacter(char c) { return isLetterOrDigit(c) || c == '_' || c == '-' || c == '.'; }

/// Returns the name in braces at the beginning of a text, or an empty text.
std::string_view nameIn(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && isNameCharacter(text[end])) ++end;
  if (end == 1 || end == text.size() || text[end] != '}') return {};
  return text.substr(1, end - 1);
}

Result<void> fill(const Node& node, const Fields& fields, json::Writer& out) {
  if (node.isString()) {
    const std::string filled = TRY(fillTemplate(node.text(), fields));
    out.string(filled);
  } else if (node.isArray()) {
    out.beginArray();
    for (const Node& item : node) {
      TRY(fill(item, fields, out));
    }
    out.endArray();
  } else if (node.isObject()) {
    out.beginObject();
    for (auto member = node.begin(); member != node.end(); ++member) {
      out.key((*member).text());
      ++member;
      TRY(fill(*member, fields, out));
    }
    out.endObject();
  } else {
    out.raw(node.raw());
  }
  return {};
}

Document parsed(std::string_view json) { return json::parseStored(std::string(json)); }

}  // namespace

std::optional<std::string> valueAt(std::string_view json, std::string_view path) {
  if (path.empty()) return std::string(json);
  const Document document = parsed(json);
  const std::optional<Node> found = follow(document.root(), path);
  if (!found) return std::nullopt;
  return std::string(found->raw());
}

std::string plainText(std::string_view json) {
  if (!json.starts_with('"')) return json::compact(json);
  const Document document = parsed(json);
  return document.root().text();
}

std::string jsonText(std::string_view text) {
  std::string json;
  json::Writer(json).string(text);
  return json;
}

Result<std::string> fillTemplate(std::string_view text, const Fields& fields) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t brace = text.find('{');
    filled += text.substr(0, brace);
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    if (text.starts_with("{{")) {
      const std::string_view kept = nameIn(text.substr(1));
      if (!kept.empty() && text.substr(kept.size() + 3).starts_with('}')) {
        filled += text.substr(1, kept.size() + 2);
        text.remove_prefix(kept.size() + 4);
        continue;
      }
    }
    const std::string_view name = nameIn(text);
    if (name.empty()) {
      filled += '{';
      text.remove_prefix(1);
      continue;
    }
    const std::optional<std::string> value = fields(name);
    if (!value) {
      return Error::invalidArgument("The example has no field '" + std::string(name) + "'.");
    }
    filled += plainText(*value);
    text.remove_prefix(name.size() + 2);
  }
  return filled;
}

Result<std::string> fillTemplates(std::string_view json, const Fields& fields) {
  const Document document = parsed(json);
  std::string filled;
  json::Writer out(filled);
  TRY(fill(document.root(), fields, out));
  return filled;
}

}  // namespace spindle::evaluation
