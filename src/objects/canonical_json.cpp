#include "objects/canonical_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "json/document.h"
#include "json/writer.h"

namespace spindle::objects {
namespace {

using json::Kind;
using json::Node;

// Deeper than any request may be: what was accepted once must always have a digest.
constexpr std::size_t kMaxDepth = 2000;

void appendUnit(std::string& out, std::uint32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[unit >> shift & 0xF];
}

void appendControl(std::string& out, char c) {
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t named = kNamed.find(c);
  if (named == std::string_view::npos) {
    appendUnit(out, static_cast<unsigned char>(c));
  } else {
    out += '\\';
    out += kLetters[named];
  }
}

/// Appends the character that begins at `at`, which is not ASCII. The text is valid UTF-8.
/// @return where the next one begins.
std::size_t appendCharacter(std::string& out, std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(at) >= 0xF0 ? 4 : byte(at) >= 0xE0 ? 3 : 2;
  std::uint32_t code = byte(at) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(at + i) & 0x3FU);
  if (code < 0x10000) {
    appendUnit(out, code);
  } else {
    appendUnit(out, 0xD800 + ((code - 0x10000) >> 10));
    appendUnit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
  }
  return at + length;
}

void appendString(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    out.append(text, plain, at - plain);
    if (byte < 0x80) {
      appendControl(out, text[at++]);
    } else {
      at = appendCharacter(out, text, at);
    }
    plain = at;
  }
  out.append(text, plain);
  out += '"';
}

void appendNode(std::string& out, const Node& node);

void appendDecimal(std::string& out, double number) {
  if (std::isfinite(number)) {
    out += json::shortestNumber(number);
  } else {
    out += number < 0 ? "-Infinity" : "Infinity";
  }
}

void appendText(std::string& out, const Node& node) {
  if (const std::optional<std::string_view> plain = node.plainText()) {
    appendString(out, *plain);
  } else {
    appendString(out, node.text());
  }
}

void appendArray(std::string& out, const Node& array) {
  out += '[';
  bool first = true;
  for (const Node item : array) {
    if (!first) out += ", ";
    first = false;
    appendNode(out, item);
  }
  out += ']';
}

void appendObject(std::string& out, const Node& object) {
  std::vector<std::pair<std::string, Node>> members;
  members.reserve(object.size());
  for (auto at = object.begin(); at != object.end(); ++at) {
    std::string name = (*at).text();
    ++at;
    members.emplace_back(std::move(name), *at);
  }
  // UTF-8 sorts by code point. Equal names keep their order, so the last of them is the last.
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  out += '{';
  bool first = true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 1 < members.size() && members[i + 1].first == members[i].first) continue;
    if (!first) out += ", ";
    first = false;
    appendString(out, members[i].first);
    out += ": ";
    appendNode(out, members[i].second);
  }
  out += '}';
}

void appendNode(std::string& out, const Node& node) {
  switch (node.kind()) {
    case Kind::kNull:
    case Kind::kFalse:
    case Kind::kTrue:
      out += node.raw();
      break;
    case Kind::kInteger:
      out += node.raw() == "-0" ? "0" : node.raw();
      break;
    case Kind::kDecimal:
      appendDecimal(out, node.number());
      break;
    case Kind::kString:
      appendText(out, node);
      break;
    case Kind::kArray:
      appendArray(out, node);
      break;
    case Kind::kObject:
      appendObject(out, node);
      break;
  }
}

}  // namespace

std::string canonicalJson(std::string_view json) {
  const auto parsed = json::Document::parse(std::string(json), kMaxDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  SPINDLE_ASSERT(document != nullptr, "only JSON has a canonical form");
  std::string out;
  out.reserve(json.size() + json.size() / 8);
  appendNode(out, document->root());
  return out;
}

}  // namespace spindle::objects
