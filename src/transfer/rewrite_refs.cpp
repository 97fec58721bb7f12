#include "transfer/rewrite_refs.h"

#include <optional>

#include "json/document.h"
#include "json/escape.h"
#include "transfer/json_depth.h"
#include "wire/spelling.h"

namespace spindle::transfer {
namespace {

using json::Node;

constexpr int kMaxNesting = 8;

/// Copies a JSON text and changes the references in it.
class RefRewriter {
 public:
  RefRewriter(std::string_view from, std::string_view to)
      : from_(std::string(from) + "/"), to_(std::string(to) + "/") {}

  /// Returns nothing when the text needs no change or is not JSON.
  std::optional<std::string> rewritten(std::string_view json, int nesting) const {
    // Search for the entity only: a slash may be escaped, the name of an entity never is.
    if (json.find(std::string_view(from_).substr(0, from_.find('/'))) == std::string_view::npos)
      return std::nullopt;
    const auto parsed = json::Document::parse(std::string(json), kMaxJsonDepth);
    const auto* document = std::get_if<json::Document>(&parsed);
    if (document == nullptr) return std::nullopt;
    Copy copy{document->root().raw(), {}, 0};
    visit(document->root(), nesting, copy);
    if (copy.done == 0) return std::nullopt;
    copy.out.append(copy.text, copy.done);
    return copy.out;
  }

 private:
  struct Copy {
    std::string_view text;
    std::string out;
    std::size_t done;  ///< bytes of the text that are copied or replaced
  };

  // Depth is bounded by the parser.
  void visit(const Node& node, int nesting, Copy& copy) const {  // NOLINT(misc-no-recursion)
    if (node.isObject()) {
      for (auto at = node.begin(); at != node.end(); ++at) {
        ++at;
        visit(*at, nesting, copy);
      }
    } else if (node.isArray()) {
      for (const Node item : node) visit(item, nesting, copy);
    } else if (node.isString()) {
      const std::optional<std::string> other = rewrittenText(node.text(), nesting);
      if (!other) return;
      const auto begin = static_cast<std::size_t>(node.raw().data() - copy.text.data());
      copy.out.append(copy.text, copy.done, begin - copy.done);
      json::appendQuoted(copy.out, *other);
      copy.done = begin + node.raw().size();
    }
  }

  std::optional<std::string> rewrittenText(const std::string& text,  // NOLINT(misc-no-recursion)
                                           int nesting) const {
    const wire::SplitRef ref = wire::splitRef(text);
    if (ref.scheme == wire::RefScheme::kExternal && ref.rest.starts_with(from_)) {
      std::string other(wire::schemeText(ref.scheme, ref.spelling));
      return other.append(to_).append(ref.rest.substr(from_.size()));
    }
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || nesting == kMaxNesting) return std::nullopt;
    if (text[first] != '{' && text[first] != '[' && text[first] != '"') return std::nullopt;
    // The result lacks the white space around the value, which has no meaning.
    return rewritten(text, nesting + 1);
  }

  const std::string from_;
  const std::string to_;
};

}  // namespace

std::string rewriteRefs(std::string_view json, std::string_view from, std::string_view to) {
  if (from != to) {
    if (std::optional<std::string> rewritten = RefRewriter(from, to).rewritten(json, 0))
      return *rewritten;
  }
  return std::string(json);
}

}  // namespace spindle::transfer
