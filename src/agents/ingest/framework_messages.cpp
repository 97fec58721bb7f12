#include "agents/ingest/framework_messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "agents/ingest/member_text.h"
#include "otlp/json_text.h"

namespace spindle::agents {
namespace {

using namespace std::string_view_literals;
using otlp::List, otlp::Map, otlp::Value;

/// Maximum nesting of messages; no framework needs more.
constexpr int kMaxDepth = 8;

struct Renamed {
  std::string_view from;
  std::string_view to;
};
constexpr auto kRoles = std::to_array<Renamed>({{"human", "user"},
                                                {"HumanMessage", "user"},
                                                {"ai", "assistant"},
                                                {"AIMessage", "assistant"},
                                                {"AIMessageChunk", "assistant"},
                                                {"model", "assistant"},
                                                {"SystemMessage", "system"},
                                                {"ToolMessage", "tool"},
                                                {"function", "tool"},
                                                {"function_call", "assistant"},
                                                {"reasoning", "assistant"},
                                                {"function_call_output", "tool"}});

/// Members that contain the message itself.
constexpr auto kInside = std::to_array({"message"sv, "kwargs"sv});
/// Members that contain messages, the most reliable first.
constexpr auto kAround =
    std::to_array({"messages"sv, "contents"sv, "choices"sv, "generations"sv, "input"sv, "inputs"sv,
                   "prompt"sv, "question"sv, "query"sv, "output"sv, "outputs"sv, "answer"sv,
                   "result"sv, "response"sv, "text"sv});
constexpr auto kContents = std::to_array({"parts"sv, "content"sv, "contents"sv});
constexpr auto kReasoningMembers = std::to_array({"reasoning_content"sv, "reasoning"sv});
constexpr auto kReasoningParts = std::to_array({"reasoning"sv, "thinking"sv});

std::string_view roleOf(std::string_view name) {
  const auto* const found = std::ranges::find(kRoles, name, &Renamed::from);
  return found == kRoles.end() ? name : found->to;
}

/// Returns the role that a map states. LangChain states it by the type or by the class name.
std::string_view ownRole(const Value& map) {
  if (const std::string_view role = textIn(map, "role"); !role.empty()) return roleOf(role);
  const std::string_view type = textIn(map, "type");
  if (roleOf(type) != type || type == "system" || type == "tool") return roleOf(type);
  const Value* id = map.find("id");
  const List* path = id == nullptr ? nullptr : id->asList();
  if (path == nullptr || path->empty() || path->back().asText() == nullptr) return {};
  const std::string_view name = *path->back().asText();
  return roleOf(name) == name ? std::string_view() : roleOf(name);
}

/// Returns a part of a message without the `message_content` map that one framework puts around it.
Value unwrapped(const Value& part) {
  const Value* inside = part.find("message_content");
  return inside == nullptr ? part : *inside;
}

const Value* contentMember(const Value& map) {
  for (const std::string_view member : kContents) {
    const Value* value = map.find(member);
    if (value != nullptr && (value->asText() != nullptr || value->asList() != nullptr))
      return value;
  }
  return nullptr;
}

std::string contentText(const Value& content) {
  if (const std::string_view* text = content.asText()) return std::string(*text);
  List parts;
  for (const Value& part : *content.asList()) parts.push_back(unwrapped(part));
  return otlp::pythonJson(Value(std::move(parts)));
}

/// Returns the values of a map whose keys are indexes, in order; some indexes may be missing.
/// Returns nothing for another map.
std::vector<const Value*> indexedIn(const Value& raw) {
  std::vector<std::pair<std::size_t, const Value*>> found;
  for (const otlp::Member& member : *raw.asMap()) {
    std::size_t position = 0;
    const char* const end = member.name.data() + member.name.size();
    const auto [last, error] = std::from_chars(member.name.data(), end, position);
    if (error != std::errc() || last != end) return {};
    found.emplace_back(position, &member.value);
  }
  std::sort(found.begin(), found.end());
  std::vector<const Value*> values;
  values.reserve(found.size());
  for (const auto& [position, value] : found) values.push_back(value);
  return values;
}

class Reader {
 public:
  std::vector<SpanMessage> read(const Value& raw, std::string_view role) {
    value(raw, role, 0);
    return std::move(messages_);
  }

 private:
  void value(const Value& raw, std::string_view role, int depth) {
    if (depth > kMaxDepth) return;
    if (const std::string_view* text = raw.asText()) {
      if (!text->empty()) messages_.push_back({std::string(role), std::string(*text), ""});
    } else if (const List* list = raw.asList()) {
      for (const Value& item : *list) value(item, role, depth + 1);
    } else if (raw.asMap() != nullptr) {
      map(raw, role, depth);
    }
  }

  void map(const Value& raw, std::string_view role, int depth) {
    for (const Value* item : indexedIn(raw)) value(*item, role, depth + 1);
    const std::string_view own = ownRole(raw);
    if (!own.empty()) role = own;
    for (const std::string_view member : kInside) {
      const Value* inside = raw.find(member);
      if (inside != nullptr && inside->asMap() != nullptr) {
        value(*inside, role, depth + 1);
        return;
      }
    }
    const Value* content = contentMember(raw);
    // A list of contents without a role is a request, not a message.
    const bool request =
        own.empty() && raw.find("contents") != nullptr && raw.find("contents") == content;
    if (content != nullptr && !request) {
      messages_.push_back(
          {std::string(role), contentText(*content), std::string(textIn(raw, "finish_reason"))});
      return;
    }
    if (!own.empty() && raw.find("tool_calls") != nullptr) {
      messages_.push_back({std::string(role), "", std::string(textIn(raw, "finish_reason"))});
      return;
    }
    for (const std::string_view member : kAround) {
      const Value* around = raw.find(member);
      if (around == nullptr || !around->isTruthy()) continue;
      value(*around, role, depth + 1);
      return;
    }
  }

  std::vector<SpanMessage> messages_;
};

void addLine(std::string& text, std::string_view line) {
  if (line.empty()) return;
  if (!text.empty()) text += '\n';
  text += line;
}

/// Appends the text of a reasoning part, or the texts of the parts inside it.
void addReasoningPart(const Value& part, std::string& found) {
  for (const std::string_view member : {"content"sv, "text"sv, "thinking"sv, "summary"sv}) {
    const Value* value = part.find(member);
    if (value == nullptr || !value->isTruthy()) continue;
    if (value->asText() != nullptr) {
      addLine(found, *value->asText());
      return;
    }
    const List* inner = value->asList();
    for (const Value& each : inner == nullptr ? List() : *inner)
      addLine(found, textIn(each, "text"));
    return;
  }
}

void collectReasoning(const Value& raw, std::string& found, int depth) {
  if (depth > kMaxDepth) return;
  if (const List* list = raw.asList()) {
    for (const Value& item : *list) collectReasoning(item, found, depth + 1);
    return;
  }
  if (raw.asMap() == nullptr) return;
  const std::string_view type = textIn(raw, "type");
  if (std::find(kReasoningParts.begin(), kReasoningParts.end(), type) != kReasoningParts.end()) {
    addReasoningPart(raw, found);
    return;
  }
  for (const std::string_view member : kReasoningMembers) addLine(found, textIn(raw, member));
  for (const std::string_view member :
       {"message"sv, "kwargs"sv, "message_content"sv, "choices"sv, "messages"sv, "parts"sv,
        "content"sv, "contents"sv, "summary"sv, "output"sv}) {
    if (const Value* inside = raw.find(member)) collectReasoning(*inside, found, depth + 1);
  }
}

}  // namespace

std::vector<SpanMessage> frameworkMessages(const Value& raw, std::string_view default_role) {
  return Reader().read(raw, default_role);
}

std::string frameworkReasoning(const Value& raw) {
  std::string found;
  collectReasoning(raw, found, 0);
  return found;
}

}  // namespace spindle::agents
