#include "agents/store/message_content.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
#include "wire/spelling.h"

namespace spindle::agents {
namespace {

/// Maximum depth of the search for references in a message; JSON inside a text is one level deeper.
constexpr int kRefDepth = 8;
/// Part of every spelling of an internal reference; a text without it is skipped.
constexpr std::string_view kInternalMarker = "-internal:";

/// Types of parts that are not text.
constexpr auto kNonTextParts =
    std::to_array<std::string_view>({"reasoning", "thinking", "uri", "blob", "file"});
constexpr auto kMediaParts = std::to_array<std::string_view>({"uri", "blob", "file"});

bool isOneOf(const auto& names, const std::optional<json::Node>& type) {
  return type && type->isString() &&
         std::any_of(names.begin(), names.end(),
                     [&type](std::string_view name) { return type->textEquals(name); });
}

/// Parses the content if it is a list of parts.
std::optional<json::Document> partsOf(const std::string& content) {
  if (!content.starts_with('[')) return std::nullopt;
  auto parsed = json::Document::parse(content, json::kStoredDepth);
  auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray()) return std::nullopt;
  return std::move(*document);
}

std::optional<std::string> partText(const json::Node& part) {
  if (part.isString()) return part.text();
  if (!part.isObject() || isOneOf(kNonTextParts, part.find("type"))) return std::nullopt;
  for (const std::string_view name : {"content", "text"}) {
    const std::optional<json::Node> text = part.find(name);
    if (text && text->isString()) return text->text();
  }
  return std::nullopt;
}

std::string_view digestOf(std::string_view ref) {
  const std::size_t colon = ref.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : ref.substr(colon + 1);
}

/// Collects internal references, each once, in the order of occurrence.
class RefSearch {
 public:
  void add(std::string ref) {
    if (known_.insert(ref).second) found_.push_back(std::move(ref));
  }

  void searchText(const std::string& text, int depth) {
    if (text.find(kInternalMarker) == std::string::npos) return;
    if (wire::splitRef(text).scheme == wire::RefScheme::kInternal) {
      add(text);
      return;
    }
    if (!text.starts_with('[') && !text.starts_with('{')) return;
    const auto parsed = json::Document::parse(text, json::kStoredDepth);
    if (const auto* document = std::get_if<json::Document>(&parsed))
      searchNode(document->root(), depth + 1);
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  void searchNode(const json::Node& node, int depth) {
    if (depth > kRefDepth) return;
    if (node.isString()) {
      searchText(node.text(), depth);
    } else if (node.isArray()) {
      for (const json::Node item : node) searchNode(item, depth + 1);
    } else if (node.isObject()) {
      bool name = true;
      for (const json::Node item : node) {
        if (!name) searchNode(item, depth + 1);
        name = !name;
      }
    }
  }

  std::vector<std::string> found_;
  std::unordered_set<std::string> known_;
};

}  // namespace

std::string textOf(const SpanMessage& message) {
  const std::optional<json::Document> parts = partsOf(message.content);
  if (!parts) return message.content;
  std::string text;
  for (const json::Node part : parts->root()) {
    const std::optional<std::string> said = partText(part);
    if (!said || said->empty()) continue;
    if (!text.empty()) text += '\n';
    text += *said;
  }
  return text;
}

std::vector<std::string> refsOf(const SpanMessage& message,
                                const std::vector<std::string>& span_refs) {
  RefSearch search;
  if (!span_refs.empty()) {
    std::unordered_set<std::string> named;
    if (const std::optional<json::Document> parts = partsOf(message.content)) {
      for (const json::Node part : parts->root()) {
        if (!part.isObject() || !isOneOf(kMediaParts, part.find("type"))) continue;
        const std::optional<json::Node> uri = part.find("uri");
        if (uri && uri->isString()) named.emplace(digestOf(uri->text()));
      }
    }
    named.erase("");
    for (const std::string& ref : span_refs) {
      if (named.contains(std::string(digestOf(ref)))) search.add(ref);
    }
  }
  search.searchText(message.content, 0);
  return search.take();
}

void addUnique(std::vector<std::string>& refs, std::vector<std::string> more) {
  if (more.empty()) return;
  std::unordered_set<std::string> known(refs.begin(), refs.end());
  for (std::string& ref : more) {
    if (known.insert(ref).second) refs.push_back(std::move(ref));
  }
}

std::optional<AsyncLaunch> asyncLaunchOf(std::string_view text) {
  if (!text.starts_with('{')) return std::nullopt;
  const auto parsed = json::Document::parse(std::string(text), json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  const json::Node root = document->root();
  const std::optional<json::Node> asynchronous = root.find("isAsync");
  const std::optional<json::Node> status = root.find("status");
  const std::optional<json::Node> agent = root.find("agentId");
  if (!asynchronous || asynchronous->kind() != json::Kind::kTrue) return std::nullopt;
  if (!status || !status->isString() || !status->textEquals("async_launched")) return std::nullopt;
  if (!agent || !agent->isString()) return std::nullopt;
  AsyncLaunch launch;
  const std::optional<json::Node> description = root.find("description");
  if (description && description->isString()) launch.description = description->text();
  return launch;
}

}  // namespace spindle::agents
