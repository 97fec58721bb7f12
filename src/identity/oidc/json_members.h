#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "json/document.h"

// Parts of JSON objects that identity providers send.
namespace spindle::identity {

inline constexpr std::size_t kMaxProviderJsonDepth = 16;

/// Parses a JSON object. Returns nothing for other text.
inline std::optional<json::Document> parseObject(std::string text) {
  auto parsed = json::Document::parse(std::move(text), kMaxProviderJsonDepth);
  auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  return std::move(*document);
}

/// Returns a member that is a string; an empty text for everything else.
inline std::string textMember(const json::Node& object, std::string_view name) {
  const std::optional<json::Node> member = object.find(name);
  return member && member->isString() ? member->text() : std::string();
}

/// Returns true if the member is `text`, or an array that contains it.
inline bool listsText(const json::Node& object, std::string_view name, std::string_view text) {
  const std::optional<json::Node> member = object.find(name);
  if (!member) return false;
  if (member->isString()) return member->textEquals(text);
  if (!member->isArray()) return false;
  for (const json::Node item : *member) {
    if (item.isString() && item.textEquals(text)) return true;
  }
  return false;
}

}  // namespace spindle::identity
