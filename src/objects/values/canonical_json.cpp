#include "objects/values/canonical_json.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "json/document.h"
#include "json/escape.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::objects {
namespace {

using json::Kind;
using json::Node;

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
    json::appendAsciiQuoted(out, *plain);
  } else {
    json::appendAsciiQuoted(out, node.text());
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
  // UTF-8 sorts by code point. Equal names keep their order, so the last one stays last.
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  out += '{';
  bool first = true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i + 1 < members.size() && members[i + 1].first == members[i].first) continue;
    if (!first) out += ", ";
    first = false;
    json::appendAsciiQuoted(out, members[i].first);
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
  const json::Document document = json::parseStored(std::string(json));
  std::string out;
  out.reserve(json.size() + json.size() / 8);
  appendNode(out, document.root());
  return out;
}

}  // namespace spindle::objects
