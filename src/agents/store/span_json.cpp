#include "agents/store/span_json.h"

#include <string_view>
#include <utility>
#include <variant>

#include "json/document.h"
#include "json/members.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

template <class Map, class Write>
std::string objectOf(const Map& map, Write write) {
  std::string json;
  json::Writer out(json);
  out.beginObject();
  for (const auto& [key, value] : map) {
    out.key(key);
    write(out, value);
  }
  out.endObject();
  return json;
}

}  // namespace

std::string messagesJson(const std::vector<SpanMessage>& messages) {
  std::string json;
  json::Writer out(json);
  out.beginArray();
  for (const SpanMessage& message : messages) {
    out.beginObject().key("role").string(message.role);
    out.key("content").string(message.content);
    out.key("finish_reason").string(message.finish_reason).endObject();
  }
  out.endArray();
  return json;
}

std::vector<SpanMessage> parseMessages(const std::string& json) {
  std::vector<SpanMessage> messages;
  if (json.empty()) return messages;
  const auto parsed = json::Document::parse(json, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray()) return messages;
  messages.reserve(document->root().size());
  for (const json::Node item : document->root()) {
    if (!item.isObject()) continue;
    messages.push_back(
        {textIn(item, "role"), textIn(item, "content"), textIn(item, "finish_reason")});
  }
  return messages;
}

std::string stringsJson(const CustomAttributes& custom) {
  return objectOf(custom.strings,
                  [](json::Writer& out, const std::string& value) { out.string(value); });
}

std::string integersJson(const CustomAttributes& custom) {
  return objectOf(custom.integers,
                  [](json::Writer& out, std::int64_t value) { out.integer(value); });
}

std::string realsJson(const CustomAttributes& custom) {
  return objectOf(custom.reals, [](json::Writer& out, double value) { out.number(value); });
}

std::string booleansJson(const CustomAttributes& custom) {
  return objectOf(custom.booleans, [](json::Writer& out, bool value) { out.boolean(value); });
}

}  // namespace spindle::agents
