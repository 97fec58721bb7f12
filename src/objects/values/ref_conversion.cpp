#include "objects/values/ref_conversion.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_set>
#include <utility>
#include <variant>

#include "json/document.h"
#include "json/escape.h"
#include "json/stored.h"
#include "objects/values/ref.h"

namespace spindle::objects {
namespace {

using wire::RefScheme;
using wire::SplitRef;

constexpr int kMaxNesting = 8;

bool contains(std::string_view text, std::string_view what) {
  return ::memmem(text.data(), text.size(), what.data(), what.size()) != nullptr;
}

/// Returns true when an ASCII letter, digit or sign is written as \u00XX, which only an attempt to
/// hide a ref does.
bool hidesAscii(std::string_view text) {
  constexpr std::string_view kEscape = "\\u00";
  while (true) {
    // Adjacent escapes need no search. ThreadSanitizer also visits the rest of the text in each.
    if (text.substr(std::min<std::size_t>(text.size(), 2)).starts_with(kEscape)) {
      text.remove_prefix(2);
    } else {
      const void* found = ::memmem(text.data(), text.size(), kEscape.data(), kEscape.size());
      if (found == nullptr) return false;
      text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - text.data()));
    }
    text.remove_prefix(kEscape.size());
    if (!text.empty() && text[0] >= '2' && text[0] <= '7') return true;
  }
}

/// Returns true if a JSON text can contain a ref. Every scheme ends with three slashes.
bool mayHoldRefs(std::string_view json) {
  return contains(json, ":///") || contains(json, "\\/") || hidesAscii(json);
}

/// Returns the replacement of a ref, or nothing to leave it unchanged.
using Rule = std::function<Result<std::optional<std::string>>(std::string_view, const SplitRef&)>;

/// One string of a JSON text.
struct Leaf {
  std::size_t begin = 0;  ///< position of the opening quote
  std::size_t end = 0;    ///< position after the closing quote
  bool escaped = false;
  bool is_name = false;
};

/// Returns the next string at or after `at`, or nothing.
std::optional<Leaf> nextLeaf(std::string_view json, std::size_t at) {
  Leaf leaf;
  leaf.begin = json.find('"', at);
  if (leaf.begin == std::string_view::npos) return std::nullopt;
  std::size_t cursor = leaf.begin + 1;
  while (true) {
    const std::size_t quote = json.find('"', cursor);
    const void* slash = std::memchr(json.data() + cursor, '\\', quote - cursor);
    if (slash == nullptr) {
      leaf.end = quote + 1;
      break;
    }
    leaf.escaped = true;
    cursor = static_cast<std::size_t>(static_cast<const char*>(slash) - json.data()) + 2;
  }
  const std::size_t next = json.find_first_not_of(" \t\r\n", leaf.end);
  leaf.is_name = next != std::string_view::npos && json[next] == ':';
  return leaf;
}

class Rewriter {
 public:
  explicit Rewriter(const Rule& rule) : rule_(rule) {}

  /// Returns the rewritten text, or nothing when it stays unchanged.
  Result<std::optional<std::string>> rewrite(std::string_view json, int nesting) const {
    if (!mayHoldRefs(json)) return std::optional<std::string>();
    std::optional<std::string> out;
    std::size_t copied = 0;
    for (std::size_t at = 0;;) {
      const std::optional<Leaf> leaf = nextLeaf(json, at);
      if (!leaf) break;
      at = leaf->end;
      if (leaf->is_name) continue;
      std::optional<std::string> changed = TRY(rewriteLeaf(json, *leaf, nesting));
      if (!changed.has_value()) continue;
      if (!out) out.emplace().reserve(json.size() + json.size() / 4);
      out->append(json, copied, leaf->begin - copied);
      json::appendQuoted(*out, *changed);
      copied = leaf->end;
    }
    if (out) out->append(json, copied);
    return out;
  }

 private:
  Result<std::optional<std::string>> rewriteLeaf(std::string_view json,
                                                 const Leaf& leaf,
                                                 int nesting) const {
    const std::string_view inner = json.substr(leaf.begin + 1, leaf.end - leaf.begin - 2);
    if (inner.empty() || !mayStartRefOrJson(inner.front())) return std::optional<std::string>();
    if (!leaf.escaped) return rewriteText(inner, nesting);
    if (!worthUnescaping(inner)) return std::optional<std::string>();
    return rewriteText(json::unescape(inner), nesting);
  }

  Result<std::optional<std::string>> rewriteText(std::string_view text, int nesting) const {
    const SplitRef split = wire::splitRef(text);
    if (split.scheme != RefScheme::kNone) return rule_(text, split);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool like_json = first != std::string_view::npos &&
                           (text[first] == '{' || text[first] == '[' || text[first] == '"');
    if (!like_json || nesting >= kMaxNesting || !mayHoldRefs(text)) {
      return std::optional<std::string>();
    }
    const auto parsed = json::Document::parse(std::string(text), json::kStoredDepth);
    if (!std::holds_alternative<json::Document>(parsed)) return std::optional<std::string>();
    return rewrite(text, nesting + 1);
  }

  /// Most texts with escapes are prose, which their start shows.
  static bool worthUnescaping(std::string_view inner) {
    if (!isLetter(inner.front())) return mayHoldRefs(inner);
    constexpr std::size_t kLongestScheme = 32;
    const std::string_view prefix = inner.substr(0, kLongestScheme);
    return contains(prefix, "\\") || wire::splitRef(prefix).scheme != RefScheme::kNone;
  }

  /// Returns true if a ref or a JSON text can start with the character.
  static bool mayStartRefOrJson(char first) {
    return isLetter(first) || std::string_view("\\{[ \t\r\n").find(first) != std::string_view::npos;
  }
  static bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

  const Rule& rule_;
};

/// Returns the replacement of an incoming ref.
Result<std::optional<std::string>> inward(std::string_view text,
                                          const SplitRef& split,
                                          RefProjects& projects) {
  if (split.scheme != RefScheme::kExternal && split.scheme != RefScheme::kInternal) {
    return std::optional<std::string>();
  }
  const std::optional<RefParts> parts = splitProject(split.scheme, split.rest);
  if (!parts) return invalidRef(text);
  if (split.scheme == RefScheme::kInternal) {
    const std::optional<std::string> known = TRY(projects.externalOf(parts->project));
    if (!known.has_value()) return invalidRef(text);
    return std::optional<std::string>();
  }
  const std::optional<std::string> id = TRY(projects.internalOf(percentDecoded(parts->project)));
  if (!id.has_value()) return std::optional<std::string>();
  std::string out(wire::schemeText(RefScheme::kInternal, split.spelling));
  return std::optional(out.append(*id).append("/").append(parts->tail));
}

/// Returns the replacement of an outgoing ref.
Result<std::optional<std::string>> outward(const SplitRef& split,
                                           RefProjects& projects,
                                           wire::Spelling spelling) {
  if (split.scheme == RefScheme::kPrivate && split.spelling != spelling) {
    std::string out(wire::schemeText(RefScheme::kPrivate, spelling));
    return std::optional(out.append(split.rest));
  }
  const std::optional<RefParts> parts = splitProject(split.scheme, split.rest);
  if (split.scheme != RefScheme::kInternal || !parts) return std::optional<std::string>();
  const std::optional<std::string> name = TRY(projects.externalOf(parts->project));
  const RefScheme scheme = name.has_value() ? RefScheme::kExternal : RefScheme::kPrivate;
  std::string out(wire::schemeText(scheme, spelling));
  if (name.has_value()) out.append(*name).append("/");
  return std::optional(out.append(parts->tail));
}

Result<void> apply(std::string& json, const Rule& rule) {
  std::optional<std::string> rewritten = TRY(Rewriter(rule).rewrite(json, 0));
  if (rewritten.has_value()) json = *std::move(rewritten);
  return {};
}

constexpr std::string_view kSlashes = ":///";
/// Longer texts after the scheme are no project.
constexpr std::size_t kMaxProjectId = 64;

/// Returns the begin of the scheme of internal refs that ends before `end`, or nothing.
std::optional<std::size_t> internalSchemeBefore(std::string_view text, std::size_t end) {
  for (const wire::Spelling spelling : {wire::Spelling::kVendor, wire::Spelling::kNeutral}) {
    const std::string_view scheme = wire::schemeText(RefScheme::kInternal, spelling);
    if (text.substr(0, end).ends_with(scheme)) return end - scheme.size();
  }
  return std::nullopt;
}

/// Collects refs, each once and in order.
class RefCollector {
 public:
  explicit RefCollector(std::vector<std::string>& refs) : refs_(refs) {
    seen_.insert(refs.begin(), refs.end());
  }
  void add(std::string_view ref) {
    std::string neutral = neutralRef(ref);
    if (seen_.insert(neutral).second) refs_.push_back(std::move(neutral));
  }

 private:
  std::vector<std::string>& refs_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Result<void> internalizeRefs(std::string& json,
                             RefProjects& projects,
                             std::vector<std::string>* refs) {
  std::optional<RefCollector> collector;
  if (refs != nullptr) collector.emplace(*refs);
  const Rule rule = [&](std::string_view text, const SplitRef& split) {
    Result<std::optional<std::string>> changed = inward(text, split, projects);
    if (changed && collector)
      collector->add(changed->has_value() ? std::string_view(**changed) : text);
    return changed;
  };
  return apply(json, rule);
}

Result<void> externalizeRefs(std::string& json, RefProjects& projects, wire::Spelling spelling) {
  const Rule rule = [&](std::string_view, const SplitRef& split) {
    return outward(split, projects, spelling);
  };
  return apply(json, rule);
}

Result<void> externalizeFragment(std::string& part,
                                 RefProjects& projects,
                                 wire::Spelling spelling) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = part.find(kSlashes, at)) != std::string::npos;) {
    const std::size_t rest = at + kSlashes.size();
    const std::optional<std::size_t> begin = internalSchemeBefore(part, rest);
    at = rest;
    const std::size_t slash = part.find('/', rest);
    if (!begin || std::min(slash, part.size()) - rest > kMaxProjectId) continue;
    out.append(part, copied, *begin - copied);
    copied = slash == std::string::npos ? part.size() : slash + 1;
    if (slash == std::string::npos) break;
    const std::optional<std::string> name =
        TRY(projects.externalOf(std::string_view(part).substr(rest, slash - rest)));
    out.append(wire::schemeText(name ? RefScheme::kExternal : RefScheme::kPrivate, spelling));
    if (name) out.append(*name).append("/");
    at = copied;
  }
  if (copied > 0) part = out.append(part, copied);
  return {};
}

Result<std::string> internalRef(std::string_view text, RefProjects& projects) {
  std::optional<std::string> changed = TRY(inward(text, wire::splitRef(text), projects));
  return changed.has_value() ? *std::move(changed) : std::string(text);
}

Result<std::string> externalRef(std::string_view text,
                                RefProjects& projects,
                                wire::Spelling spelling) {
  std::optional<std::string> changed = TRY(outward(wire::splitRef(text), projects, spelling));
  return changed.has_value() ? *std::move(changed) : std::string(text);
}

std::string neutralRef(std::string_view text) {
  const SplitRef split = wire::splitRef(text);
  if (split.scheme == RefScheme::kNone || split.spelling == wire::Spelling::kNeutral) {
    return std::string(text);
  }
  std::string out(wire::schemeText(split.scheme, wire::Spelling::kNeutral));
  return out.append(split.rest);
}

}  // namespace spindle::objects
