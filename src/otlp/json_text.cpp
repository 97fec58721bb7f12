#include "otlp/json_text.h"

#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/crypto/crypto.h"
#include "json/document.h"
#include "json/escape.h"
#include "json/writer.h"

namespace spindle::otlp {
namespace {

using json::Kind;
using json::Node;

constexpr std::size_t kFewMembers = 32;

/// Converts the nodes of a document, which was parsed from a copy of `text`, to values with views
/// of `text`.
class Converter {
 public:
  Converter(std::string_view text, const Node& root, TextArena& texts)
      : text_(text), origin_(root.raw().data() - text.find(root.raw().front())), texts_(texts) {}

  Value value(const Node& node) {
    switch (node.kind()) {
      case Kind::kNull:
        return {};
      case Kind::kFalse:
      case Kind::kTrue:
        return Value(node.boolean());
      case Kind::kInteger: {
        const std::optional<std::int64_t> integer = node.integer();
        return integer ? Value(*integer) : Value(node.number());
      }
      case Kind::kDecimal:
        return Value(node.number());
      case Kind::kString:
        return Value(string(node));
      case Kind::kArray:
        return list(node);
      case Kind::kObject:
        return map(node);
    }
    return {};
  }

 private:
  std::string_view string(const Node& node) {
    const std::optional<std::string_view> plain = node.plainText();
    if (!plain) return texts_.keep(node.text());
    return text_.substr(static_cast<std::size_t>(plain->data() - origin_), plain->size());
  }

  Value list(const Node& node) {
    List items;
    items.reserve(node.size());
    for (const Node item : node) items.push_back(value(item));
    return Value(std::move(items));
  }

  Value map(const Node& node) {
    Value made{Map()};
    Map& members = *made.asMap();
    members.reserve(node.size());
    const bool many = node.size() > kFewMembers;
    std::unordered_map<std::string_view, std::size_t> places;  // used for many members
    for (auto at = node.begin(); at != node.end(); ++at) {
      const std::string_view name = string(*at);
      ++at;
      Value item = value(*at);
      if (many) {
        const auto [place, added] = places.emplace(name, members.size());
        if (added) members.push_back(Member{name});
        members[place->second].value = std::move(item);
      } else if (Value* known = made.find(name)) {
        *known = std::move(item);
      } else {
        members.push_back({name, std::move(item)});
      }
    }
    return made;
  }

  const std::string_view text_;
  const char* const origin_;  // of the copy
  TextArena& texts_;
};

std::string_view nonFiniteName(double number) {
  if (std::isnan(number)) return "NaN";
  return number < 0 ? "-Infinity" : "Infinity";
}

void appendNumber(std::string& out, double number) {
  if (std::isfinite(number)) {
    out += json::shortestNumber(number);
  } else {
    json::appendQuoted(out, nonFiniteName(number));
  }
}

/// The differences between the two JSON formats.
struct Style {
  std::string_view comma;
  std::string_view colon;
  void (*quote)(std::string& out, std::string_view text);
};

void append(std::string& out, const Value& value, const Style& style) {
  if (const std::string_view* text = value.asText()) {
    style.quote(out, *text);
  } else if (const bool* truth = value.asBool()) {
    out += *truth ? "true" : "false";
  } else if (const std::int64_t* integer = value.asInteger()) {
    out += std::to_string(*integer);
  } else if (const double* real = value.asReal()) {
    appendNumber(out, *real);
  } else if (const Bytes* bytes = value.asBytes()) {
    style.quote(out, encodeBase64(bytes->bytes));
  } else if (const List* list = value.asList()) {
    out += '[';
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (i > 0) out += style.comma;
      append(out, (*list)[i], style);
    }
    out += ']';
  } else if (const Map* map = value.asMap()) {
    out += '{';
    for (std::size_t i = 0; i < map->size(); ++i) {
      if (i > 0) out += style.comma;
      style.quote(out, (*map)[i].name);
      out += style.colon;
      append(out, (*map)[i].value, style);
    }
    out += '}';
  } else {
    out += "null";
  }
}

constexpr Style kPython = {", ", ": ", &json::appendAsciiQuoted};
constexpr Style kCompact = {",", ":", &json::appendQuoted};

}  // namespace

std::optional<Value> parseJson(std::string_view text, TextArena& texts) {
  const auto parsed = json::Document::parse(std::string(text));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return std::nullopt;
  return Converter(text, document->root(), texts).value(document->root());
}

std::string pythonJson(const Value& value) {
  std::string out;
  append(out, value, kPython);
  return out;
}

void appendJson(std::string& out, const Value& value) { append(out, value, kCompact); }

}  // namespace spindle::otlp
