#include "tracing/ingest/json_path.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "json/document.h"
#include "json/escape.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {
namespace {

using json::Document;
using json::Node;

std::optional<Node> childOf(const Node& node, const std::string& part) {
  if (node.isObject()) return node.find(part);
  if (!node.isArray()) return std::nullopt;
  std::size_t position = 0;
  const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), position);
  if (failed != std::errc() || end != part.data() + part.size() || position >= node.size())
    return std::nullopt;
  auto at = node.begin();
  for (std::size_t i = 0; i < position; ++i) ++at;
  return *at;
}

std::optional<Node> nodeAt(const Document& document, const std::vector<std::string>& path) {
  std::optional<Node> node = document.root();
  for (const std::string& part : path) {
    node = childOf(*node, part);
    if (!node) return std::nullopt;
  }
  return node;
}

std::optional<Document> parsed(std::string_view json) {
  auto outcome = Document::parse(std::string(json), kMaxBodyDepth);
  if (auto* document = std::get_if<Document>(&outcome)) return std::move(*document);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> stringAt(std::string_view json, const std::vector<std::string>& path) {
  const std::optional<Document> document = parsed(json);
  if (!document) return std::nullopt;
  const std::optional<Node> node = nodeAt(*document, path);
  if (!node || !node->isString()) return std::nullopt;
  return node->text();
}

std::optional<std::string> jsonAt(std::string_view json, const std::vector<std::string>& path) {
  const std::optional<Document> document = parsed(json);
  const std::optional<Node> node = document ? nodeAt(*document, path) : std::nullopt;
  if (!node) return std::nullopt;
  return std::string(node->raw());
}

std::string replacedAt(std::string_view json,
                       const std::vector<std::string>& path,
                       std::string_view replacement) {
  const std::optional<Document> document = parsed(json);
  const std::optional<Node> node = document ? nodeAt(*document, path) : std::nullopt;
  if (!node) return std::string(json);
  const std::string_view whole = document->root().raw();
  const auto offset = static_cast<std::size_t>(node->raw().data() - whole.data());
  std::string text(whole.substr(0, offset));
  text += replacement;
  text += whole.substr(offset + node->raw().size());
  return text;
}

std::string withRef(std::string_view value, std::string_view ref) {
  if (!value.starts_with('{')) return std::string(value);
  std::string text = R"({"_ref":)";
  json::appendQuoted(text, ref);
  const std::string_view rest = value.substr(1);
  const bool empty = rest.find_first_not_of(" \t\r\n") == rest.find('}');
  if (!empty) text += ',';
  text += rest;
  return text;
}

}  // namespace spindle::tracing
