#include "training/chat_row_json.h"

#include <algorithm>
#include <charconv>

#include "json/document.h"
#include "json/writer.h"
#include "tracing/chat_message_json.h"

namespace spindle::training {
namespace {

using json::Document;
using json::Node;

std::optional<Document> parsed(std::string text) {
  std::variant<Document, json::SyntaxError> outcome = Document::parse(std::move(text));
  if (auto* document = std::get_if<Document>(&outcome)) return std::move(*document);
  return std::nullopt;
}

bool isMessage(const Node& node) {
  if (!node.isObject()) return false;
  const std::optional<Node> role = node.find("role");
  return role && role->isString();
}

/// The only value among the members, when there is just one.
std::optional<Node> onlyMember(const Node& object) {
  if (object.size() != 1) return std::nullopt;
  std::optional<Node> value;
  for (const Node node : object) value = node;
  return value;
}

/// All messages of a list as chat completions have them; empty when one is none.
std::vector<std::string> messagesOf(const Node& list) {
  std::vector<std::string> messages;
  for (const Node item : list) {
    std::vector<tracing::ChatMessageJson> some = tracing::chatMessagesOf(item);
    if (some.empty()) return {};
    for (tracing::ChatMessageJson& one : some) messages.push_back(std::move(one.json));
  }
  return messages;
}

bool readQuestion(const Node& inputs, ChatRow& row) {
  if (!inputs.isObject()) return false;
  std::optional<Node> given = inputs.find("messages");
  const bool named = given && given->isArray() && given->size() > 0;
  if (!named) given = onlyMember(inputs);
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

/// The first message of an assistant in a list.
bool readAnswers(const Node& list, ChatRow& row) {
  for (const Node item : list) {
    for (tracing::ChatMessageJson& one : tracing::chatMessagesOf(item)) {
      if (one.role != "assistant") continue;
      row.answer = std::move(one.json);
      return true;
    }
  }
  return false;
}

/// A choice as trajectories have it: with the tokens of the question, which the answer as a whole
/// says.
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

bool readAnswer(const Node& output, ChatRow& row) {
  if (output.isString()) {
    row.answer = tracing::textMessageJson("assistant", output.text());
    return true;
  }
  if (isMessage(output)) {
    if (!output.find("role")->textEquals("assistant")) return false;
    row.answer = output.raw();
    return true;
  }
  if (!output.isObject()) return false;
  const std::optional<Node> only = onlyMember(output);
  if (only && only->isArray() && readAnswers(*only, row)) return true;
  const std::optional<Node> choices = output.find("choices");
  if (!choices || !choices->isArray() || choices->size() == 0) return false;
  const Node choice = *choices->begin();
  if (!choice.isObject()) return false;
  const std::optional<Node> message = choice.find("message");
  if (!message || !isMessage(*message)) return false;
  row.answer = message->raw();
  if (choice.find("finish_reason") && choice.find("index")) {
    std::optional<Node> tokens = output.find("prompt_token_ids");
    if (tokens && !tokens->isArray()) tokens.reset();
    row.choice = choiceJson(choice, tokens);
  }
  return true;
}

/// Whether a list of texts holds this one; empty for other lists.
std::optional<double> holds(const Node& list, std::string_view text) {
  double found = 0;
  for (const Node item : list) {
    if (!item.isString()) return std::nullopt;
    if (item.textEquals(text)) found = 1;
  }
  return found;
}

std::optional<Node> itemAt(const Node& list, std::string_view step) {
  std::size_t position = 0;
  const auto [end, problem] = std::from_chars(step.data(), step.data() + step.size(), position);
  if (problem != std::errc() || end != step.data() + step.size()) return std::nullopt;
  for (const Node item : list) {
    if (position-- == 0) return item;
  }
  return std::nullopt;
}

std::optional<double> numberIn(Node node, std::string_view path) {
  while (!path.empty()) {
    if (node.isArray() && path.find('.') == std::string_view::npos && !itemAt(node, path)) {
      return holds(node, path);
    }
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    std::optional<Node> next;
    if (node.isObject()) next = node.find(step);
    if (node.isArray()) next = itemAt(node, step);
    if (!next) return std::nullopt;
    node = *next;
  }
  if (node.isBool()) return node.boolean() ? 1.0 : 0.0;
  if (!node.isNumber()) return std::nullopt;
  return node.number();
}

/// The list with one more item.
std::string with(const std::string& list, const std::string& item) {
  std::string text = list.substr(0, list.rfind(']'));
  return text + "," + item + "]";
}

}  // namespace

std::optional<ChatRow> chatRowOf(const std::string& inputs, const std::string& output) {
  const std::optional<Document> question = parsed(inputs);
  const std::optional<Document> answer = parsed(output);
  ChatRow row;
  if (!question || !answer) return std::nullopt;
  if (!readQuestion(question->root(), row) || !readAnswer(answer->root(), row)) return std::nullopt;
  return row;
}

std::string exampleLine(const ChatRow& row) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("messages").raw(json::compact(with(row.messages, row.answer)));
  if (row.tools) out.key("tools").raw(json::compact(*row.tools));
  out.endObject();
  return text;
}

std::string trajectoryJson(const ChatRow& row,
                           double reward,
                           const std::vector<std::pair<std::string, std::string>>& notes) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("messages_and_choices")
      .raw(json::compact(with(row.messages, row.choice.value_or(row.answer))));
  if (row.tools) out.key("tools").raw(json::compact(*row.tools));
  out.key("reward").number(reward);
  out.key("metadata").beginObject();
  for (const auto& [name, value] : notes) out.key(name).string(value);
  out.endObject().endObject();
  return text;
}

std::optional<double> numberAt(std::string json, std::string_view path) {
  const std::optional<Document> document = parsed(std::move(json));
  return document ? numberIn(document->root(), path) : std::nullopt;
}

std::optional<double> feedbackNumber(std::string list,
                                     std::string_view type,
                                     std::string_view path) {
  const std::optional<Document> document = parsed(std::move(list));
  if (!document || !document->root().isArray()) return std::nullopt;
  std::optional<Node> newest;
  // In the order of creation.
  for (const Node item : document->root()) {
    if (!item.isObject()) continue;
    const std::optional<Node> its_type = item.find("feedback_type");
    if (its_type && its_type->isString() && its_type->textEquals(type)) newest = item;
  }
  if (!newest) return std::nullopt;
  const std::string_view first = path.substr(0, path.find('.'));
  if (first == "scorer_ratings" || first == "scorer_tags") return numberIn(*newest, path);
  const std::optional<Node> payload = newest->find("payload");
  return payload ? numberIn(*payload, path) : std::nullopt;
}

std::string exportMetadata(const ExportNotes& notes) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("format").string("jsonl").key("kind").string(notes.format);
  out.key("num_trajectories").integer(notes.trajectories);
  if (notes.format == "rl") out.key("num_groups").integer(notes.groups);
  out.key("project").string(notes.project).endObject();
  return text;
}

}  // namespace spindle::training
