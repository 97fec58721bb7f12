#include "tracing/ingest/stored_payload.h"

#include <utility>

#include "json/document.h"
#include "json/escape.h"
#include "tracing/ingest/media.h"
#include "tracing/ingest/redaction.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using json::Kind;
using json::Node;

/// Returns the length of a string as ASCII-only JSON, including quotes.
std::int64_t asciiLength(std::string_view text) {
  std::int64_t length = 2;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0xF0) {
      length += 12;  // a surrogate pair
    } else if (byte >= 0xC0) {
      length += 6;
    } else if (byte >= 0x80) {
      continue;  // counted with its first byte
    } else if (byte == '"' || byte == '\\' || (byte >= '\b' && byte <= '\r' && byte != '\v')) {
      length += 2;
    } else {
      length += byte < 0x20 || byte == 0x7F ? 6 : 1;
    }
  }
  return length;
}

Error tooDeep() { return {ErrorCode::kTooLarge, "Request too large"}; }

/// Rewrites one payload in a single pass over its values.
class Rewriter {
 public:
  Rewriter(const PayloadRules& rules, const PayloadPorts& ports) : rules_(rules), ports_(ports) {}

  Result<void> rewrite(const Node& node) { return value(node, {}, 0); }

  StoredPayload take() { return std::move(payload_); }

 private:
  /// `depth` counts the lists and objects around the value.
  Result<void> value(const Node& node, std::string_view member, std::size_t depth) {
    switch (node.kind()) {
      case Kind::kObject:
        return object(node, depth);
      case Kind::kArray:
        return array(node, depth);
      case Kind::kString:
        return string(node, member);
      default:
        payload_.json += node.raw();
        payload_.bytes += static_cast<std::int64_t>(node.raw().size());
        return {};
    }
  }

  Result<void> object(const Node& node, std::size_t depth) {
    if (depth == kMaxPayloadDepth) return tooDeep();
    payload_.json += '{';
    payload_.bytes += 2;
    bool first = true;
    for (auto at = node.begin(); at != node.end(); ++at) {
      const Node name = *at;
      ++at;
      if (!std::exchange(first, false)) separate();
      const std::optional<std::string_view> plain = name.plainText();
      const std::string unescaped = plain ? std::string() : name.text();
      std::string_view member = plain ? *plain : std::string_view(unescaped);
      if (depth == 0 && rules_.platform_members) member = wire::neutralPlatformMember(member);
      text(member, plain.has_value());
      payload_.json += ':';
      payload_.bytes += 2;
      TRY(value(*at, member, depth + 1));
    }
    payload_.json += '}';
    return {};
  }

  Result<void> array(const Node& node, std::size_t depth) {
    if (depth == kMaxPayloadDepth) return tooDeep();
    payload_.json += '[';
    payload_.bytes += 2;
    bool first = true;
    for (const Node item : node) {
      if (!std::exchange(first, false)) separate();
      TRY(value(item, {}, depth + 1));
    }
    payload_.json += ']';
    return {};
  }

  Result<void> string(const Node& node, std::string_view member) {
    const std::optional<std::string_view> plain = node.plainText();
    const std::string unescaped = plain ? std::string() : node.text();
    const std::string_view held = plain ? *plain : std::string_view(unescaped);
    if (rules_.redact && !held.empty() && !member.empty() && namesCredential(member)) {
      text(kRedacted, true);
      return {};
    }
    if (rules_.extract_media) {
      if (const std::optional<Media> media = findMedia(held)) {
        std::string ref = TRY(ports_.media.keep(media->bytes, media->type));
        text(ref, false);
        return {};
      }
    }
    text(held, plain.has_value());
    return {};
  }

  /// `plain` strings need no escapes.
  void text(std::string_view held, bool plain) {
    if (plain) {
      payload_.json += '"';
      payload_.json += held;
      payload_.json += '"';
    } else {
      json::appendQuoted(payload_.json, held);
    }
    payload_.bytes += asciiLength(held);
  }

  void separate() {
    payload_.json += ',';
    payload_.bytes += 2;
  }

  const PayloadRules rules_;
  const PayloadPorts& ports_;
  StoredPayload payload_;
};

}  // namespace

Result<StoredPayload> storePayload(std::string_view json,
                                   const PayloadRules& rules,
                                   const PayloadPorts& ports) {
  auto parsed = json::Document::parse(std::string(json), kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return Error::internal("A checked payload is not JSON.");
  Rewriter rewriter(rules, ports);
  TRY(rewriter.rewrite(document->root()));
  StoredPayload payload = rewriter.take();
  TRY(objects::internalizeRefs(payload.json, ports.projects, &payload.refs));
  return payload;
}

std::string_view exceedsLimits() { return R"({"_svc":{"error":"<EXCEEDS_LIMITS>"}})"; }

}  // namespace spindle::tracing
