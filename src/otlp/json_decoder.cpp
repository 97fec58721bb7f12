#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "base/crypto/crypto.h"
#include "json/document.h"
#include "otlp/decode.h"
#include "otlp/decode_state.h"

namespace spindle::otlp {
namespace {

using json::Node;

// The JSON depth of a value: the lists and objects of the request around it, and three for each
// level of the value itself.
constexpr std::size_t kMaxDepth = 20 + 3 * kMaxValueDepth;

constexpr std::size_t kTraceIdBytes = 16;
constexpr std::size_t kSpanIdBytes = 8;

char lowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns true if `member` is the camelCase name `camel` in camelCase or snake_case.
bool isNamed(std::string_view member, std::string_view camel) {
  std::size_t at = 0;
  for (const char c : member) {
    if (c == '_') continue;
    if (at == camel.size() || lowerCase(c) != lowerCase(camel[at])) return false;
    ++at;
  }
  return at == camel.size();
}

std::optional<std::string> fromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned int byte = 0;
    const char* const end = text.data() + i + 2;
    if (std::from_chars(text.data() + i, end, byte, 16).ptr != end) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

class JsonDecoder {
 public:
  JsonDecoder(const Node& root, ExportRequest& request)
      : origin_(root.raw().data()), request_(request) {}

  std::optional<Error> run(const Node& root) {
    const bool good = each(root, [this](std::string_view name, const Node& value) {
      if (!isNamed(name, "resourceSpans")) return true;
      return items(value, [this](const Node& item) {
        return resourceSpans(item, request_.resource_spans.emplace_back());
      });
    });
    if (good) return std::nullopt;
    return state_.error();
  }

 private:
  std::size_t offsetOf(const Node& node) const {
    return static_cast<std::size_t>(node.raw().data() - origin_);
  }

  bool fail(std::string_view what, const Node& node) { return state_.fail(what, offsetOf(node)); }

  /// Calls `handle` with every member that is not null, until `handle` returns false.
  template <class Handle>
  bool each(const Node& node, const Handle& handle) {
    if (!node.isObject()) return fail("an object was expected", node);
    for (auto at = node.begin(); at != node.end(); ++at) {
      const std::string_view name = view(*at);
      ++at;
      if (!(*at).isNull() && !handle(name, *at)) return false;
    }
    return true;
  }

  template <class Handle>
  bool items(const Node& node, const Handle& handle) {
    if (!node.isArray()) return fail("a list was expected", node);
    for (const Node item : node) {
      if (!state_.countValue(offsetOf(item)) || !handle(item)) return false;
    }
    return true;
  }

  std::string_view view(const Node& node) {
    const std::optional<std::string_view> plain = node.plainText();
    return plain ? *plain : request_.texts->keep(node.text());
  }

  bool text(const Node& node, std::string_view& out) {
    if (!node.isString()) return fail("a string was expected", node);
    out = view(node);
    return true;
  }

  template <class Integer>
  bool integer(const Node& node, Integer& out) {
    if (!node.isString() && !node.isNumber()) return fail("an integer was expected", node);
    const std::string_view digits = node.isString() ? view(node) : node.raw();
    const char* const end = digits.data() + digits.size();
    const auto [ptr, error] = std::from_chars(digits.data(), end, out);
    return (error == std::errc() && ptr == end) || fail("an integer was expected", node);
  }

  bool real(const Node& node, Value& out) {
    if (node.isNumber()) {
      out = Value(node.number());
      return true;
    }
    if (!node.isString()) return fail("a number was expected", node);
    const std::string_view held = view(node);
    double number = 0;
    const char* const end = held.data() + held.size();
    const auto [ptr, error] = std::from_chars(held.data(), end, number);
    out = Value(number);
    return (error == std::errc() && ptr == end) || fail("a number was expected", node);
  }

  /// Decodes an id. OTLP specifies hex; the JSON mapping of Protocol Buffers, which some exporters
  /// use, is Base64.
  bool id(const Node& node, std::size_t length, std::string_view& out) {
    std::string_view held;
    if (!text(node, held)) return false;
    if (held.empty()) return true;
    std::optional<std::string> bytes = fromHex(held);
    if (!bytes || bytes->size() != length) {
      std::optional<std::string> decoded = decodeBase64(held);
      if (decoded && (decoded->size() == length || !bytes)) bytes = std::move(decoded);
    }
    if (!bytes) return fail("an id is neither hex nor Base64", node);
    out = request_.texts->keep(*std::move(bytes));
    return true;
  }

  /// Decodes an enumeration value: a number or a name with a prefix. An unknown value leaves `out`
  /// unchanged.
  template <class Enum, std::size_t N>
  bool enumeration(const Node& node, const std::array<std::string_view, N>& known, Enum& out) {
    if (node.isString()) {
      const std::string_view name = view(node);
      for (std::size_t i = 0; i < N; ++i) {
        if (name == known[i]) out = static_cast<Enum>(i);
      }
      return true;
    }
    std::int64_t number = 0;
    if (!integer(node, number)) return false;
    if (number >= 0 && number < static_cast<std::int64_t>(N)) out = static_cast<Enum>(number);
    return true;
  }

  bool resourceSpans(const Node& node, ResourceSpans& out) {
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "resource")) return resource(value, out);
      if (!isNamed(name, "scopeSpans")) return true;
      return items(value, [&](const Node& item) {
        return scopeSpans(item, out.scope_spans.emplace_back());
      });
    });
  }

  bool resource(const Node& node, ResourceSpans& out) {
    return each(node, [&](std::string_view name, const Node& value) {
      return attributeMember(name, value, out);
    });
  }

  bool scopeSpans(const Node& node, ScopeSpans& out) {
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "scope")) {
        return each(value, [&](std::string_view member, const Node& held) {
          if (isNamed(member, "name")) return text(held, out.scope_name);
          return !isNamed(member, "version") || text(held, out.scope_version);
        });
      }
      if (!isNamed(name, "spans")) return true;
      return items(value, [&](const Node& item) {
        return state_.countSpan(offsetOf(item)) && span(item, out.spans.emplace_back());
      });
    });
  }

  bool span(const Node& node, Span& out) {
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "traceId")) return id(value, kTraceIdBytes, out.trace_id);
      if (isNamed(name, "spanId")) return id(value, kSpanIdBytes, out.span_id);
      if (isNamed(name, "parentSpanId")) return id(value, kSpanIdBytes, out.parent_span_id);
      if (isNamed(name, "traceState")) return text(value, out.trace_state);
      if (isNamed(name, "name")) return text(value, out.name);
      if (isNamed(name, "kind")) return kind(value, out.kind);
      if (isNamed(name, "startTimeUnixNano")) return integer(value, out.start_time_unix_nano);
      if (isNamed(name, "endTimeUnixNano")) return integer(value, out.end_time_unix_nano);
      if (isNamed(name, "attributes")) return attributes(value, out.attributes, 0);
      if (isNamed(name, "events")) {
        return items(value,
                     [&](const Node& item) { return event(item, out.events.emplace_back()); });
      }
      if (isNamed(name, "links")) {
        return items(value, [&](const Node& item) { return link(item, out.links.emplace_back()); });
      }
      return !isNamed(name, "status") || status(value, out);
    });
  }

  bool kind(const Node& node, SpanKind& out) {
    constexpr std::array<std::string_view, 6> kNames = {
        "SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
        "SPAN_KIND_CLIENT",      "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"};
    return enumeration(node, kNames, out);
  }

  bool status(const Node& node, Span& out) {
    constexpr std::array<std::string_view, 3> kNames = {"STATUS_CODE_UNSET", "STATUS_CODE_OK",
                                                        "STATUS_CODE_ERROR"};
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "code")) return enumeration(value, kNames, out.status);
      return !isNamed(name, "message") || text(value, out.status_message);
    });
  }

  bool event(const Node& node, Event& out) {
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "timeUnixNano")) return integer(value, out.time_unix_nano);
      if (isNamed(name, "name")) return text(value, out.name);
      return attributeMember(name, value, out);
    });
  }

  bool link(const Node& node, Link& out) {
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "traceId")) return id(value, kTraceIdBytes, out.trace_id);
      if (isNamed(name, "spanId")) return id(value, kSpanIdBytes, out.span_id);
      if (isNamed(name, "traceState")) return text(value, out.trace_state);
      return attributeMember(name, value, out);
    });
  }

  /// Decodes a member of a resource, an event or a link that concerns its attributes.
  template <class Holder>
  bool attributeMember(std::string_view name, const Node& value, Holder& out) {
    if (isNamed(name, "attributes")) return attributes(value, out.attributes, 0);
    return !isNamed(name, "droppedAttributesCount") || integer(value, out.dropped_attributes_count);
  }

  bool attributes(const Node& node, Attributes& out, std::size_t depth) {
    return items(node, [&](const Node& item) {
      Member& member = out.emplace_back();
      return each(item, [&](std::string_view name, const Node& value) {
        if (isNamed(name, "key")) return text(value, member.name);
        return !isNamed(name, "value") || anyValue(value, member.value, depth);
      });
    });
  }

  bool anyValue(const Node& node, Value& out, std::size_t depth) {
    if (depth > kMaxValueDepth) return fail("values are nested too deep", node);
    return each(node, [&](std::string_view name, const Node& value) {
      if (isNamed(name, "stringValue")) return stringValue(value, out);
      if (isNamed(name, "boolValue")) return boolValue(value, out);
      if (isNamed(name, "intValue")) return intValue(value, out);
      if (isNamed(name, "doubleValue")) return real(value, out);
      if (isNamed(name, "bytesValue")) return bytesValue(value, out);
      if (isNamed(name, "arrayValue")) return list(value, out, depth);
      return !isNamed(name, "kvlistValue") || map(value, out, depth);
    });
  }

  bool stringValue(const Node& node, Value& out) {
    std::string_view held;
    if (!text(node, held)) return false;
    out = Value(held);
    return true;
  }

  bool boolValue(const Node& node, Value& out) {
    if (!node.isBool()) return fail("a boolean was expected", node);
    out = Value(node.boolean());
    return true;
  }

  bool intValue(const Node& node, Value& out) {
    std::int64_t number = 0;
    if (!integer(node, number)) return false;
    out = Value(number);
    return true;
  }

  bool bytesValue(const Node& node, Value& out) {
    std::string_view held;
    if (!text(node, held)) return false;
    std::optional<std::string> bytes = decodeBase64(held);
    if (!bytes) return fail("Base64 was expected", node);
    out = Value(Bytes{request_.texts->keep(*std::move(bytes))});
    return true;
  }

  bool list(const Node& node, Value& out, std::size_t depth) {
    List made;
    const bool good = each(node, [&](std::string_view name, const Node& value) {
      if (!isNamed(name, "values")) return true;
      return items(
          value, [&](const Node& item) { return anyValue(item, made.emplace_back(), depth + 1); });
    });
    out = Value(std::move(made));
    return good;
  }

  bool map(const Node& node, Value& out, std::size_t depth) {
    Map made;
    const bool good = each(node, [&](std::string_view name, const Node& value) {
      return !isNamed(name, "values") || attributes(value, made, depth + 1);
    });
    out = Value(std::move(made));
    return good;
  }

  const char* const origin_;
  ExportRequest& request_;
  DecodeState state_;
};

}  // namespace

Result<ExportRequest> decodeJson(std::string body) {
  const std::size_t body_bytes = body.size();
  auto parsed = json::Document::parse(std::move(body), kMaxDepth);
  if (const auto* broken = std::get_if<json::SyntaxError>(&parsed)) {
    return Error::invalidArgument("Invalid OTLP body: " + broken->message + " at character " +
                                  std::to_string(broken->position));
  }
  const auto document =
      std::make_shared<const json::Document>(std::get<json::Document>(std::move(parsed)));
  ExportRequest request;
  request.source = document;
  request.body_bytes = body_bytes;
  const Node root = document->root();
  if (std::optional<Error> broken = JsonDecoder(root, request).run(root)) return *broken;
  return request;
}

}  // namespace spindle::otlp
