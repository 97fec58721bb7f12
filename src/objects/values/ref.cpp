#include "objects/values/ref.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/lookup.h"

namespace spindle::objects {
namespace {

using wire::RefScheme;

constexpr auto kKinds = std::to_array<LookupEntry<RefKind>>({
    {RefKind::kObject, "object"},
    {RefKind::kOp, "op"},
    {RefKind::kTable, "table"},
    {RefKind::kCall, "call"},
    {RefKind::kAgentTurn, "agent_turn"},
    {RefKind::kAgentConversation, "agent_conversation"},
    {RefKind::kAgentSpan, "agent_span"},
});

constexpr auto kEdges = std::to_array<LookupEntry<RefEdge::Kind>>({
    {RefEdge::Kind::kAttribute, "attr"},
    {RefEdge::Kind::kKey, "key"},
    {RefEdge::Kind::kIndex, "index"},
    {RefEdge::Kind::kRow, "id"},
});

/// Removes the text up to the next slash, and the slash, from the front and returns the text.
std::string_view nextPart(std::string_view& rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view part = rest.substr(0, slash);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  return part;
}

bool isDecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Parses the text after the project into `ref`. Returns false when it is invalid.
bool readTail(std::string_view tail, Ref& ref) {
  const std::optional<RefKind> kind = keyOf(kKinds, nextPart(tail));
  if (!kind) return false;
  ref.kind = *kind;
  std::string_view name = nextPart(tail);
  if (ref.isObjectOrOp()) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return false;
    ref.version = percentDecoded(name.substr(colon + 1));
    if (ref.version.empty()) return false;
    name = name.substr(0, colon);
  }
  ref.name = percentDecoded(name);
  if (ref.name.empty()) return false;
  while (!tail.empty()) {
    const std::optional<RefEdge::Kind> edge = keyOf(kEdges, nextPart(tail));
    if (!edge) return false;
    std::string value = percentDecoded(nextPart(tail));
    if (*edge == RefEdge::Kind::kIndex && !isDecimal(value)) return false;
    ref.edges.push_back({*edge, std::move(value)});
  }
  return true;
}

}  // namespace

Error invalidRef(std::string_view text) {
  constexpr std::size_t kShown = 256;
  return Error::invalidArgument("Invalid ref: " + std::string(text.substr(0, kShown)));
}

Result<Ref> parseRef(std::string_view text) {
  const wire::SplitRef split = wire::splitRef(text);
  Ref ref;
  ref.scheme = split.scheme;
  ref.spelling = split.spelling;
  std::string_view tail = split.rest;
  if (split.scheme != RefScheme::kPrivate) {
    const std::optional<RefParts> parts = splitProject(split.scheme, split.rest);
    if (!parts) return invalidRef(text);
    ref.project = percentDecoded(parts->project);
    tail = parts->tail;
  }
  if (!readTail(tail, ref)) return invalidRef(text);
  return ref;
}

std::string printRef(const Ref& ref) {
  std::string text(wire::schemeText(ref.scheme, ref.spelling));
  if (ref.scheme != RefScheme::kPrivate) text.append(ref.project).append("/");
  text.append(lookUp(kKinds, ref.kind, "")).append("/").append(percentEncoded(ref.name));
  if (ref.isObjectOrOp()) text.append(":").append(percentEncoded(ref.version));
  for (const RefEdge& edge : ref.edges) {
    text.append("/").append(lookUp(kEdges, edge.kind, "")).append("/");
    text.append(percentEncoded(edge.value));
  }
  return text;
}

std::optional<RefParts> splitProject(RefScheme scheme, std::string_view rest) {
  if (scheme != RefScheme::kExternal && scheme != RefScheme::kInternal) return std::nullopt;
  std::size_t end = rest.find('/');
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  if (scheme == RefScheme::kExternal) {
    const std::size_t entity_end = end;
    end = rest.find('/', entity_end + 1);
    if (end == std::string_view::npos || end == entity_end + 1) return std::nullopt;
  }
  return RefParts{rest.substr(0, end), rest.substr(end + 1)};
}

std::string percentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = isLetterOrDigit(c) || c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 0xF];
    }
  }
  return out;
}

std::string percentDecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape = text[at] == '%' && at + 2 < text.size() && hexValue(text[at + 1]) >= 0 &&
                        hexValue(text[at + 2]) >= 0;
    if (!escape) {
      out += text[at];
      continue;
    }
    out += static_cast<char>(hexValue(text[at + 1]) << 4 | hexValue(text[at + 2]));
    at += 2;
  }
  return out;
}

}  // namespace spindle::objects
