#include "otlp/span_source.h"

#include <cstdio>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spindle::bench {
namespace {

constexpr std::uint64_t kSpansPerTrace = 10;
constexpr std::uint64_t kEpochNanos = 1'760'000'000'000'000'000;

using Attribute = std::pair<std::string_view, std::variant<std::string, std::int64_t>>;

struct Span {
  std::string trace_id;  ///< hex
  std::string span_id;   ///< hex
  std::string parent_id;
  std::string name;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::vector<Attribute> attributes;
};

std::string hex(std::uint64_t high, std::uint64_t low, bool whole) {
  char text[33];
  if (whole) {
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                  static_cast<unsigned long long>(low));
  } else {
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(low));
  }
  return text;
}

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
  return value ^ value >> 27;
}

std::string messages(std::string_view role, std::uint64_t number) {
  std::string text =
      R"([{"role":")" + std::string(role) + R"(","parts":[{"type":"text","content":")";
  for (int i = 0; i < 6; ++i)
    text += "Sentence " + std::to_string(mixed(number + i) % 100'000) + " of a conversation. ";
  return text + R"("}]}])";
}

Span makeSpan(std::uint64_t number) {
  const std::uint64_t trace = number / kSpansPerTrace;
  const std::uint64_t place = number % kSpansPerTrace;
  Span span;
  span.trace_id = hex(mixed(trace), trace + 1, true);
  span.span_id = hex(0, mixed(number) | 1, false);
  if (place > 0) span.parent_id = hex(0, mixed(trace * kSpansPerTrace) | 1, false);
  span.start = kEpochNanos + number * 1'000'000;
  span.end = span.start + 900'000'000;
  if (place == 0) {
    span.name = "invoke_agent planner";
    span.attributes = {{"gen_ai.operation.name", "invoke_agent"},
                       {"gen_ai.agent.name", "planner"},
                       {"gen_ai.conversation.id", "conversation-" + std::to_string(trace / 3)}};
  } else if (place % 3 == 0) {
    span.name = "execute_tool search";
    span.attributes = {
        {"gen_ai.operation.name", "execute_tool"},
        {"gen_ai.tool.name", "search"},
        {"gen_ai.tool.call.arguments", R"({"query":"number )" + std::to_string(number) + R"("})"},
        {"gen_ai.tool.call.result", R"({"hits":[1,2,3]})"}};
  } else {
    span.name = "chat m-large";
    span.attributes = {{"gen_ai.operation.name", "chat"},
                       {"gen_ai.provider.name", "openai"},
                       {"gen_ai.request.model", "m-large"},
                       {"gen_ai.response.model", "m-large-0501"},
                       {"gen_ai.usage.input_tokens", static_cast<std::int64_t>(number % 900)},
                       {"gen_ai.usage.output_tokens", static_cast<std::int64_t>(number % 400)},
                       {"gen_ai.input.messages", messages("user", number)},
                       {"gen_ai.output.messages", messages("assistant", number + 7)}};
  }
  return span;
}

void appendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void appendBytes(std::string& out, unsigned field, std::string_view bytes) {
  appendVarint(out, field << 3U | 2U);
  appendVarint(out, bytes.size());
  out += bytes;
}
void appendFixed(std::string& out, unsigned field, std::uint64_t value) {
  appendVarint(out, field << 3U | 1U);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
}
std::string bytesOf(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string keyValue(std::string_view key, const std::variant<std::string, std::int64_t>& value) {
  std::string held;
  if (const auto* text = std::get_if<std::string>(&value)) {
    appendBytes(held, 1, *text);
  } else {
    appendVarint(held, 3U << 3U);
    appendVarint(held, static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
  }
  std::string out;
  appendBytes(out, 1, key);
  appendBytes(out, 2, held);
  return out;
}

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void appendJson(std::string& out, const Span& span) {
  out += R"({"traceId":")" + span.trace_id + R"(","spanId":")" + span.span_id;
  if (!span.parent_id.empty()) out += R"(","parentSpanId":")" + span.parent_id;
  out += R"(","name":")" + span.name + R"(","kind":1,"startTimeUnixNano":")" +
         std::to_string(span.start) + R"(","endTimeUnixNano":")" + std::to_string(span.end) +
         R"(","status":{"code":1},"attributes":[)";
  for (std::size_t i = 0; i < span.attributes.size(); ++i) {
    const auto& [key, value] = span.attributes[i];
    out += std::string(i > 0 ? "," : "") + R"({"key":")" + std::string(key) + R"(","value":{)";
    if (const auto* text = std::get_if<std::string>(&value)) {
      out += R"("stringValue":)";
      appendQuoted(out, *text);
    } else {
      out += R"("intValue":)" + std::to_string(std::get<std::int64_t>(value));
    }
    out += "}}";
  }
  out += "]}";
}

}  // namespace

std::string protobufRequest(std::uint64_t from, std::uint64_t to) {
  std::string scope;
  for (std::uint64_t number = from; number < to; ++number) {
    const Span span = makeSpan(number);
    std::string body;
    appendBytes(body, 1, bytesOf(span.trace_id));
    appendBytes(body, 2, bytesOf(span.span_id));
    if (!span.parent_id.empty()) appendBytes(body, 4, bytesOf(span.parent_id));
    appendBytes(body, 5, span.name);
    appendVarint(body, 6U << 3U);
    appendVarint(body, 1);
    appendFixed(body, 7, span.start);
    appendFixed(body, 8, span.end);
    for (const auto& [key, value] : span.attributes) appendBytes(body, 9, keyValue(key, value));
    appendBytes(body, 15, std::string_view("\x18\x01", 2));
    appendBytes(scope, 2, body);
  }
  std::string resource;
  appendBytes(resource, 1, keyValue("service.name", "bench"));
  std::string spans;
  appendBytes(spans, 1, resource);
  appendBytes(spans, 2, scope);
  std::string request;
  appendBytes(request, 1, spans);
  return request;
}

std::string jsonRequest(std::uint64_t from, std::uint64_t to) {
  std::string out =
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":)"
      R"({"stringValue":"bench"}}]},"scopeSpans":[{"scope":{"name":"bench"},"spans":[)";
  for (std::uint64_t number = from; number < to; ++number) {
    if (number > from) out += ',';
    appendJson(out, makeSpan(number));
  }
  return out + "]}]}]}";
}

}  // namespace spindle::bench
