#include "training/data/chat_row.h"

#include <utility>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/calls/chat_message_json.h"
#include "training/data/flat_json.h"

namespace spindle::training {
namespace {

using json::Document;
using json::Node;
using schema::Codec, schema::ifPresent, schema::Record, schema::string;

std::optional<Document> parsed(std::string text) {
  std::variant<Document, json::SyntaxError> outcome =
      Document::parse(std::move(text), json::kStoredDepth);
  if (auto* document = std::get_if<Document>(&outcome)) return std::move(*document);
  return std::nullopt;
}

bool isMessage(const Node& node) {
  if (!node.isObject()) return false;
  const std::optional<Node> role = node.find("role");
  return role && role->isString();
}

/// Returns the value of the only member; empty if there is not exactly one.
std::optional<Node> onlyMember(const Node& object) {
  if (object.size() != 1) return std::nullopt;
  std::optional<Node> value;
  for (const Node node : object) value = node;
  return value;
}

/// Returns all messages of a list in the chat completion format; empty if an item is not a message.
std::vector<std::string> messagesOf(const Node& list) {
  std::vector<std::string> messages;
  for (const Node item : list) {
    std::vector<tracing::ChatMessageJson> some = tracing::chatMessagesOf(item);
    if (some.empty()) return {};
    for (tracing::ChatMessageJson& one : some) messages.push_back(std::move(one.json));
  }
  return messages;
}

bool hasMessages(const Node& object) {
  const std::optional<Node> given = object.find("messages");
  return given && given->isArray() && given->size() > 0;
}

/// Returns the object with the messages: the inputs, or an argument that is the whole request.
Node requestIn(const Node& inputs) {
  if (hasMessages(inputs)) return inputs;
  // Clients that do not know the names of arguments number them.
  std::optional<Node> argument = inputs.find("arg0");
  if (!argument) argument = onlyMember(inputs);
  return argument && argument->isObject() && hasMessages(*argument) ? *argument : inputs;
}

bool readPrompt(const Node& sent, ChatRow& row) {
  if (!sent.isObject()) return false;
  const Node inputs = requestIn(sent);
  const std::optional<Node> given =
      hasMessages(inputs) ? inputs.find("messages") : onlyMember(inputs);
  if (!given) return false;
  if (given->isArray()) {
    const std::vector<std::string> messages = messagesOf(*given);
    if (messages.empty()) return false;
    row.messages = tracing::listJson(messages);
    const std::optional<Node> tools = inputs.find("tools");
    if (tools && tools->isArray() && tools->size() > 0) row.tools = std::string(tools->raw());
    return true;
  }
  if (!given->isString()) return false;
  row.messages = "[" + tracing::textMessageJson("user", given->text()) + "]";
  return true;
}

/// Reads the first assistant message of a list.
bool readAnswers(const Node& list, ChatRow& row) {
  for (const Node item : list) {
    for (tracing::ChatMessageJson& one : tracing::chatMessagesOf(item)) {
      if (one.role != "assistant") continue;
      row.answers.push_back({std::move(one.json)});
      return true;
    }
  }
  return false;
}

/// Returns a choice in the format of trajectories. Adds the prompt's token ids, which the
/// completion has outside of the choice.
std::string choiceJson(const Node& choice, const std::optional<Node>& prompt_tokens) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  bool is_name = true;
  for (const Node node : choice) {
    if (is_name) {
      out.key(node.text());
    } else {
      out.raw(node.raw());
    }
    is_name = !is_name;
  }
  if (prompt_tokens && !choice.find("prompt_token_ids")) {
    out.key("prompt_token_ids").raw(prompt_tokens->raw());
  }
  out.endObject();
  return text;
}

/// Reads all choices that were sampled for one prompt.
bool readChoices(const Node& output, const Node& choices, ChatRow& row) {
  std::optional<Node> tokens = output.find("prompt_token_ids");
  if (tokens && !tokens->isArray()) tokens.reset();
  for (const Node choice : choices) {
    const std::optional<Node> message = choice.isObject() ? choice.find("message") : std::nullopt;
    if (!message || !isMessage(*message)) continue;
    ChatAnswer& answer = row.answers.emplace_back();
    answer.message = message->raw();
    if (choice.find("finish_reason") && choice.find("index")) {
      answer.choice = choiceJson(choice, tokens);
    }
  }
  return !row.answers.empty();
}

bool readAnswer(const Node& output, ChatRow& row) {
  if (output.isString()) {
    row.answers.push_back({tracing::textMessageJson("assistant", output.text())});
    return true;
  }
  if (isMessage(output)) {
    if (!output.find("role")->textEquals("assistant")) return false;
    row.answers.push_back({std::string(output.raw())});
    return true;
  }
  if (!output.isObject()) return false;
  const std::optional<Node> only = onlyMember(output);
  if (only && only->isArray() && readAnswers(*only, row)) return true;
  const std::optional<Node> choices = output.find("choices");
  return choices && choices->isArray() && readChoices(output, *choices, row);
}

bool isOwnWork(const Node& message) {
  const std::optional<Node> role = message.isObject() ? message.find("role") : std::nullopt;
  if (!role || !role->isString()) return false;
  return role->textEquals("assistant") || role->textEquals("tool") || role->textEquals("function");
}

/// Returns the JSON array with one more item.
std::string with(const std::string& list, const std::string& item) {
  std::string text = list.substr(0, list.rfind(']'));
  return text + "," + item + "]";
}

std::optional<json::Text> toolsOf(const ChatRow& row) {
  if (!row.tools) return std::nullopt;
  return json::Text{json::compact(*row.tools)};
}

struct ExampleLine {
  json::Text messages;
  std::optional<json::Text> tools;
};
struct TrajectoryLine {
  json::Text messages_and_choices;
  std::optional<json::Text> tools;
  double reward = 0;
  json::Text metadata;
};

}  // namespace

std::optional<ChatRow> chatRowOf(const std::string& inputs, const std::string& output) {
  const std::optional<Document> question = parsed(inputs);
  const std::optional<Document> answer = parsed(output);
  ChatRow row;
  if (!question || !answer) return std::nullopt;
  if (!readPrompt(question->root(), row) || !readAnswer(answer->root(), row)) return std::nullopt;
  return row;
}

std::string promptOf(const ChatRow& row) {
  const std::string& messages = row.first_prompt ? *row.first_prompt : row.messages;
  const std::optional<Document> list = parsed(messages);
  if (!list || !list->root().isArray()) return messages;
  std::vector<std::string> texts;
  std::size_t asked = 0;
  for (const Node message : list->root()) {
    texts.push_back(json::compact(message.raw()));
    if (!isOwnWork(message)) asked = texts.size();
  }
  if (asked > 0) texts.resize(asked);
  return tracing::listJson(texts);
}

bool continues(const std::string& messages, const std::string& beginning) {
  if (!beginning.ends_with(']')) return false;
  const std::size_t size = beginning.size() - 1;
  if (messages.compare(0, size, beginning, 0, size) != 0) return false;
  return messages.size() > size && (messages[size] == ',' || messages[size] == ']');
}

bool hasLogprobs(const ChatAnswer& answer) {
  if (!answer.choice) return false;
  const std::optional<Document> choice = parsed(*answer.choice);
  if (!choice || !choice->root().isObject()) return false;
  const std::optional<Node> logprobs = choice->root().find("logprobs");
  if (!logprobs || !logprobs->isObject()) return false;
  const std::optional<Node> content = logprobs->find("content");
  return content && content->isArray() && content->size() > 0;
}

std::string exampleLine(const ChatRow& row, const ChatAnswer& answer) {
  static const Codec<ExampleLine> codec =
      Record<ExampleLine>("SftExample")
          .required("messages", &ExampleLine::messages, schema::anyJson())
          .required("tools", &ExampleLine::tools, ifPresent(schema::anyJson()))
          .codec();
  return codec.toJson({{json::compact(with(row.messages, answer.message))}, toolsOf(row)});
}

std::string trajectoryJson(const ChatRow& row,
                           const ChatAnswer& answer,
                           double reward,
                           const std::vector<std::pair<std::string, std::string>>& notes) {
  using T = TrajectoryLine;
  static const Codec<T> codec =
      Record<T>("ExportedTrajectory")
          .required("messages_and_choices", &T::messages_and_choices, schema::anyJson())
          .required("tools", &T::tools, ifPresent(schema::anyJson()))
          .required("reward", &T::reward, schema::number())
          .required("metadata", &T::metadata, schema::jsonObject())
          .codec();
  static const Codec<schema::MapOf<std::string>> metadata = schema::map(string());
  return codec.toJson({{json::compact(with(row.messages, answer.choice.value_or(answer.message)))},
                       toolsOf(row),
                       reward,
                       {metadata.toJson(notes)}});
}

std::string exportMetadata(const ExportMetadata& notes) {
  schema::MapOf<FlatValue> members = {{"format", std::string("jsonl")},
                                      {"kind", notes.format},
                                      {"num_trajectories", notes.trajectories}};
  if (notes.format == "rl") members.emplace_back("num_groups", notes.groups);
  members.emplace_back("project", notes.project);
  return flatJson(members);
}

}  // namespace spindle::training
