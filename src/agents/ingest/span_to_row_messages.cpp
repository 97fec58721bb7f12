#include "agents/ingest/span_to_row_messages.h"

#include <utility>

#include "agents/ingest/member_text.h"
#include "otlp/json_text.h"

namespace spindle::agents {
namespace {

using otlp::List;
using otlp::Value;

std::string contentOf(const Value& message) {
  const Value* parts = message.find("parts");
  if (parts != nullptr && parts->asList() != nullptr) return otlp::pythonJson(*parts);
  const Value* content = message.find("content");
  if (content == nullptr) return {};
  if (const std::string_view* text = content->asText()) return std::string(*text);
  return content->asList() != nullptr ? otlp::pythonJson(*content) : std::string();
}

SpanMessage messageOf(const Value& map, std::string_view default_role) {
  const std::string_view role = textIn(map, "role");
  return {std::string(role.empty() ? default_role : role), contentOf(map),
          std::string(textIn(map, "finish_reason"))};
}

void addReasoning(const Value& message, std::string& found) {
  for (const std::string_view member : {"parts", "content"}) {
    const Value* value = message.find(member);
    const List* parts = value == nullptr ? nullptr : value->asList();
    if (parts == nullptr) continue;
    for (const Value& part : *parts) {
      if (textIn(part, "type") != "reasoning") continue;
      std::string_view text = textIn(part, "content");
      if (text.empty()) text = textIn(part, "text");
      if (text.empty()) continue;
      if (!found.empty()) found += '\n';
      found += text;
    }
  }
}

}  // namespace

std::vector<SpanMessage> messagesOf(const Value& raw, std::string_view default_role) {
  std::vector<SpanMessage> messages;
  if (const std::string_view* text = raw.asText()) {
    if (!text->empty()) messages.push_back({std::string(default_role), std::string(*text), ""});
  } else if (const List* list = raw.asList()) {
    for (const Value& item : *list) {
      if (const std::string_view* item_text = item.asText()) {
        messages.push_back({std::string(default_role), std::string(*item_text), ""});
      } else if (item.asMap() != nullptr) {
        messages.push_back(messageOf(item, default_role));
      }
    }
  } else if (raw.find("role") != nullptr) {
    messages.push_back(messageOf(raw, default_role));
  }
  return messages;
}

std::string reasoningOf(const Value& raw) {
  std::string found;
  if (const List* list = raw.asList()) {
    for (const Value& item : *list) addReasoning(item, found);
  } else {
    addReasoning(raw, found);
  }
  return found;
}

std::vector<std::string> instructionsOf(const Value& raw) {
  std::vector<std::string> texts;
  const auto add = [&texts](std::string_view text) {
    if (!text.empty()) texts.emplace_back(text);
  };
  if (const std::string_view* text = raw.asText()) {
    add(*text);
  } else if (const List* list = raw.asList()) {
    for (const Value& item : *list) {
      if (const std::string_view* item_text = item.asText()) {
        add(*item_text);
        continue;
      }
      const std::string_view content = textIn(item, "content");
      add(content.empty() ? textIn(item, "text") : content);
    }
  }
  return texts;
}

}  // namespace spindle::agents
