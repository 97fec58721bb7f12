#include "objects/values/ref.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spindle::objects {
namespace {

using wire::RefScheme;

template <class E>
struct Word {
  std::string_view text;
  E value;
};

constexpr auto kKinds = std::to_array<Word<RefKind>>({
    {"object", RefKind::kObject},
    {"op", RefKind::kOp},
    {"table", RefKind::kTable},
    {"call", RefKind::kCall},
    {"agent_turn", RefKind::kAgentTurn},
    {"agent_conversation", RefKind::kAgentConversation},
    {"agent_span", RefKind::kAgentSpan},
});

constexpr auto kEdges = std::to_array<Word<RefEdge::Kind>>({
    {"attr", RefEdge::Kind::kAttribute},
    {"key", RefEdge::Kind::kKey},
    {"index", RefEdge::Kind::kIndex},
    {"id", RefEdge::Kind::kRow},
});

template <class E, std::size_t N>
std::optional<E> valueIn(const std::array<Word<E>, N>& words, std::string_view text) {
  for (const Word<E>& word : words) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

template <class E, std::size_t N>
std::string_view textIn(const std::array<Word<E>, N>& words, E value) {
  for (const Word<E>& word : words) {
    if (word.value == value) return word.text;
  }
  return {};
}

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
  const std::optional<RefKind> kind = valueIn(kKinds, nextPart(tail));
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
    const std::optional<RefEdge::Kind> edge = valueIn(kEdges, nextPart(tail));
    if (!edge) return false;
    std::string value = percentDecoded(nextPart(tail));
    if (*edge == RefEdge::Kind::kIndex && !isDecimal(value)) return false;
    ref.edges.push_back({*edge, std::move(value)});
  }
  return true;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
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
  text.append(textIn(kKinds, ref.kind)).append("/").append(percentEncoded(ref.name));
  if (ref.isObjectOrOp()) text.append(":").append(percentEncoded(ref.version));
  for (const RefEdge& edge : ref.edges) {
    text.append("/").append(textIn(kEdges, edge.kind)).append("/");
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
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
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
    const bool escape = text[at] == '%' && at + 2 < text.size() && hexDigit(text[at + 1]) >= 0 &&
                        hexDigit(text[at + 2]) >= 0;
    if (!escape) {
      out += text[at];
      continue;
    }
    out += static_cast<char>(hexDigit(text[at + 1]) << 4 | hexDigit(text[at + 2]));
    at += 2;
  }
  return out;
}

}  // namespace spindle::objects
