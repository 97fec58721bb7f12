#include "feedback/feedback_payload.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>

#include "base/core/utf8.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::feedback {
namespace {

using json::Document;
using json::Node;

std::optional<Document> parsed(std::string_view text) {
  auto outcome = Document::parse(std::string(text), json::kStoredDepth);
  if (auto* document = std::get_if<Document>(&outcome)) return std::move(*document);
  return std::nullopt;
}

void writeCanonical(const Node& node, json::Writer& out);

/// Writes the members of an object, except those that the server sets.
void writeMembers(const Node& object,
                  json::Writer& out,
                  std::initializer_list<std::string_view> without = {}) {
  for (auto at = object.begin(); at != object.end(); ++at) {
    const std::string name = (*at).text();
    ++at;
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    out.key(name);
    writeCanonical(*at, out);
  }
}

/// Writes compact JSON with the writer's escapes.
void writeCanonical(const Node& node, json::Writer& out) {
  if (node.isArray()) {
    out.beginArray();
    for (const Node item : node) writeCanonical(item, out);
    out.endArray();
  } else if (node.isObject()) {
    out.beginObject();
    writeMembers(node, out);
    out.endObject();
  } else if (node.isString()) {
    out.string(node.text());
  } else {
    out.raw(node.raw());
  }
}

Result<std::string> reaction(const Node& payload, const EmojiNames& names) {
  const std::optional<Node> emoji = payload.find("emoji");
  if (!emoji || !emoji->isString()) {
    return Error::invalidArgument("A reaction needs a payload with an 'emoji'");
  }
  const std::string text = emoji->text();
  if (!isOneEmoji(text)) {
    return Error::invalidArgument("Value of key 'emoji' in payload is not exactly one emoji");
  }
  const std::string plain = withoutSkinTone(text);
  std::string stored;
  json::Writer out(stored);
  out.beginObject();
  writeMembers(payload, out, {"alias", "detoned", "detoned_alias"});
  out.key("alias").string(names.aliasOf(text));
  out.key("detoned").string(plain).key("detoned_alias").string(names.aliasOf(plain)).endObject();
  return stored;
}

Result<void> checkNote(const Node& payload) {
  const std::optional<Node> note = payload.find("note");
  if (!note || !note->isString()) {
    return Error::invalidArgument("A note needs a payload with a 'note'");
  }
  const std::size_t characters = charactersIn(note->text());
  if (characters < 1 || characters > kMaxNoteCharacters) {
    return Error::invalidArgument("A note must have between 1 and 1024 characters");
  }
  return {};
}

Result<void> requireMember(const Node& payload, std::string_view name, std::string_view what) {
  if (payload.find(name)) return {};
  return Error::invalidArgument(std::string(what) + " feedback needs a payload with '" +
                                std::string(name) + "'");
}

Result<void> checkPayload(const FeedbackType& type, const Node& payload) {
  switch (type.kind) {
    case TypeKind::kNote:
      return checkNote(payload);
    case TypeKind::kAnnotation:
      return requireMember(payload, "value", "Annotation");
    case TypeKind::kRunnable:
      return requireMember(payload, "output", "Runnable");
    default:
      return {};
  }
}

}  // namespace

Result<std::string> storedPayload(const FeedbackType& type,
                                  std::string_view payload,
                                  const EmojiNames& emoji) {
  const std::optional<Document> document = parsed(payload);
  if (!document || !document->root().isObject()) {
    return Error::invalidArgument("The payload is not an object");
  }
  const Node root = document->root();
  std::string stored;
  if (type.kind == TypeKind::kReaction) {
    std::string named = TRY(reaction(root, emoji));
    stored = std::move(named);
  } else {
    TRY(checkPayload(type, root));
    json::Writer out(stored);
    writeCanonical(root, out);
  }
  if (stored.size() > kMaxPayloadBytes) return Error::invalidArgument("Feedback payload too large");
  return stored;
}

std::string memberOf(std::string_view object, std::string_view name) {
  const std::optional<Document> document = parsed(object);
  if (!document || !document->root().isObject()) return {};
  const std::optional<Node> member = document->root().find(name);
  return member ? std::string(member->raw()) : std::string();
}

}  // namespace spindle::feedback
