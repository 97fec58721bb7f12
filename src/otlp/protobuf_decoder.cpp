#include <bit>
#include <optional>
#include <utility>

#include "json/escape.h"
#include "otlp/decode.h"
#include "otlp/decode_state.h"
#include "otlp/protobuf_reader.h"

namespace spindle::otlp {
namespace {

/// Decodes a Protocol Buffers body. Field numbers are those of opentelemetry/proto/trace/v1,
/// common/v1 and resource/v1.
class ProtobufDecoder {
 public:
  ProtobufDecoder(std::string_view body, ExportRequest& request) : body_(body), request_(request) {}

  std::optional<Error> run() {
    const bool good = each(body_, [this](const Field& field) {
      if (field.number != 1) return true;
      return isBytes(field) && countValue(field) &&
             resourceSpans(field.bytes, request_.resource_spans.emplace_back());
    });
    if (good) return std::nullopt;
    return state_.error();
  }

 private:
  /// Calls `handle` with every field, until `handle` returns false.
  template <class Handle>
  bool each(std::string_view message, const Handle& handle) {
    ProtobufReader reader(message, body_);
    Field field;
    while (reader.next(field)) {
      if (!handle(field)) return false;
    }
    return reader.fault().empty() || state_.fail(reader.fault());
  }

  bool fail(std::string_view what, const Field& field) { return state_.fail(what, field.offset); }

  bool is(const Field& field, WireType type) {
    if (field.type == type) return true;
    return fail("field " + std::to_string(field.number) + " has the wrong wire type", field);
  }
  bool isBytes(const Field& field) { return is(field, WireType::kBytes); }

  bool text(const Field& field, std::string_view& out) {
    if (!isBytes(field)) return false;
    std::optional<std::string> repaired = json::repairedText(field.bytes);
    out = repaired ? request_.texts->keep(*std::move(repaired)) : field.bytes;
    return true;
  }
  bool bytes(const Field& field, std::string_view& out) {
    out = field.bytes;
    return isBytes(field);
  }
  bool time(const Field& field, std::uint64_t& out) {
    out = field.value;
    return is(field, WireType::kFixed64);
  }
  bool count(const Field& field, std::uint32_t& out) {
    out = static_cast<std::uint32_t>(field.value);
    return is(field, WireType::kVarint);
  }

  /// Decodes an enumeration value. A value beyond `last` leaves `out` unchanged.
  template <class Enum>
  bool enumeration(const Field& field, Enum last, Enum& out) {
    if (field.value <= static_cast<std::uint64_t>(last)) out = static_cast<Enum>(field.value);
    return is(field, WireType::kVarint);
  }

  /// Counts one repeated element. Fails beyond kMaxValues.
  bool countValue(const Field& field) { return state_.countValue(field.offset); }

  bool resourceSpans(std::string_view message, ResourceSpans& out) {
    return each(message, [&](const Field& field) {
      if (field.number == 1) return isBytes(field) && resource(field.bytes, out);
      if (field.number == 2) {
        return isBytes(field) && countValue(field) &&
               scopeSpans(field.bytes, out.scope_spans.emplace_back());
      }
      return true;
    });
  }

  bool resource(std::string_view message, ResourceSpans& out) {
    return each(message, [&](const Field& field) { return attributes(field, 1, out); });
  }

  bool scopeSpans(std::string_view message, ScopeSpans& out) {
    return each(message, [&](const Field& field) {
      if (field.number == 1) return isBytes(field) && scope(field.bytes, out);
      if (field.number != 2) return true;
      return state_.countSpan(field.offset) && isBytes(field) &&
             span(field.bytes, out.spans.emplace_back());
    });
  }

  bool scope(std::string_view message, ScopeSpans& out) {
    return each(message, [&](const Field& field) {
      if (field.number == 1) return text(field, out.scope_name);
      return field.number != 2 || text(field, out.scope_version);
    });
  }

  bool span(std::string_view message, Span& out) {
    return each(message, [&](const Field& field) {
      if (field.number <= 3) return context(field, out);
      if (field.number == 4) return bytes(field, out.parent_span_id);
      if (field.number == 5) return text(field, out.name);
      if (field.number == 6) return enumeration(field, SpanKind::kConsumer, out.kind);
      if (field.number == 7) return time(field, out.start_time_unix_nano);
      if (field.number == 8) return time(field, out.end_time_unix_nano);
      if (field.number == 9) return attribute(field, out.attributes);
      if (field.number == 11) {
        return isBytes(field) && countValue(field) && event(field.bytes, out.events.emplace_back());
      }
      if (field.number == 13)
        return isBytes(field) && countValue(field) && link(field.bytes, out.links.emplace_back());
      return field.number != 15 || (isBytes(field) && status(field.bytes, out));
    });
  }

  bool event(std::string_view message, Event& out) {
    return each(message, [&](const Field& field) {
      if (field.number == 1) return time(field, out.time_unix_nano);
      if (field.number == 2) return text(field, out.name);
      return attributes(field, 3, out);
    });
  }

  bool link(std::string_view message, Link& out) {
    return each(message, [&](const Field& field) {
      return field.number <= 3 ? context(field, out) : attributes(field, 4, out);
    });
  }

  bool status(std::string_view message, Span& out) {
    return each(message, [&](const Field& field) {
      if (field.number == 2) return text(field, out.status_message);
      return field.number != 3 || enumeration(field, StatusCode::kError, out.status);
    });
  }

  /// Decodes the fields 1 to 3 of a span or a link.
  template <class Identified>
  bool context(const Field& field, Identified& out) {
    if (field.number == 1) return bytes(field, out.trace_id);
    if (field.number == 2) return bytes(field, out.span_id);
    return field.number != 3 || text(field, out.trace_state);
  }

  /// Decodes the field `first`, an attribute, and the next one, the number of dropped attributes.
  template <class Owner>
  bool attributes(const Field& field, std::uint32_t first, Owner& out) {
    if (field.number == first) return attribute(field, out.attributes);
    return field.number != first + 1 || count(field, out.dropped_attributes_count);
  }

  bool attribute(const Field& field, Attributes& out) {
    return isBytes(field) && countValue(field) && keyValue(field.bytes, out.emplace_back(), 0);
  }

  bool keyValue(std::string_view message, Member& out, std::size_t depth) {
    return each(message, [&](const Field& field) {
      if (field.number == 1) return text(field, out.name);
      if (field.number != 2) return true;
      return isBytes(field) && anyValue(field, out.value, depth);
    });
  }

  bool anyValue(const Field& holder, Value& out, std::size_t depth) {
    if (depth > kMaxValueDepth) return fail("values are nested too deep", holder);
    return each(holder.bytes, [&](const Field& field) {
      switch (field.number) {
        case 1: {
          std::string_view held;
          const bool good = text(field, held);
          out = Value(held);
          return good;
        }
        case 2:
          out = Value(field.value != 0);
          return is(field, WireType::kVarint);
        case 3:
          out = Value(static_cast<std::int64_t>(field.value));
          return is(field, WireType::kVarint);
        case 4:
          out = Value(std::bit_cast<double>(field.value));
          return is(field, WireType::kFixed64);
        case 5:
          return isBytes(field) && list(field.bytes, out, depth);
        case 6:
          return isBytes(field) && map(field.bytes, out, depth);
        case 7:
          out = Value(Bytes{field.bytes});
          return isBytes(field);
        default:
          return true;
      }
    });
  }

  bool list(std::string_view message, Value& out, std::size_t depth) {
    return items<List>(message, out, [&](const Field& field, Value& item) {
      return anyValue(field, item, depth + 1);
    });
  }

  bool map(std::string_view message, Value& out, std::size_t depth) {
    return items<Map>(message, out, [&](const Field& field, Member& member) {
      return keyValue(field.bytes, member, depth + 1);
    });
  }

  /// Decodes the repeated field 1 of a list or a map.
  template <class Items, class Read>
  bool items(std::string_view message, Value& out, Read read) {
    Items found;
    const bool good = each(message, [&](const Field& field) {
      if (field.number != 1) return true;
      return isBytes(field) && countValue(field) && read(field, found.emplace_back());
    });
    out = Value(std::move(found));
    return good;
  }

  const std::string_view body_;
  ExportRequest& request_;
  DecodeState state_;
};

}  // namespace

Result<ExportRequest> decodeProtobuf(std::string body) {
  auto kept = std::make_shared<const std::string>(std::move(body));
  ExportRequest request;
  request.source = kept;
  request.body_bytes = kept->size();
  if (std::optional<Error> broken = ProtobufDecoder(*kept, request).run()) return *broken;
  return request;
}

}  // namespace spindle::otlp
