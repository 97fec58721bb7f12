#include "training/chat_row_json.h"

#include <algorithm>
#include <charconv>

#include "json/document.h"
#include "json/writer.h"

namespace spindle::training {
namespace {

using json::Document;
using json::Node;

std::optional<Document> parsed(std::string text) {
  std::variant<Document, json::SyntaxError> outcome = Document::parse(std::move(text));
  if (auto* document = std::get_if<Document>(&outcome)) return std::move(*document);
  return std::nullopt;
}

std::string messageJson(std::string_view role, std::string_view content) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("role").string(role).key("content").string(content).endObject();
  return text;
}

bool isMessage(const Node& node) {
  if (!node.isObject()) return false;
  const std::optional<Node> role = node.find("role");
  return role && role->isString();
}

/// The only text among the inputs, when nothing else is there.
std::optional<std::string> onlyText(const Node& inputs) {
  if (inputs.size() != 1) return std::nullopt;
  bool is_name = true;
  for (const Node node : inputs) {
    if (!is_name && node.isString()) return node.text();
    is_name = false;
  }
  return std::nullopt;
}

bool readQuestion(const Node& inputs, ChatRow& row) {
  if (!inputs.isObject()) return false;
  const std::optional<Node> messages = inputs.find("messages");
  if (messages && messages->isArray() && messages->size() > 0) {
    for (const Node message : *messages) {
      if (!isMessage(message)) return false;
    }
    row.messages = messages->raw();
    const std::optional<Node> tools = inputs.find("tools");
    if (tools && tools->isArray() && tools->size() > 0) row.tools = std::string(tools->raw());
    return true;
  }
  const std::optional<std::string> text = onlyText(inputs);
  if (!text) return false;
  row.messages = "[" + messageJson("user", *text) + "]";
  return true;
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
    row.answer = messageJson("assistant", output.text());
    return true;
  }
  if (isMessage(output)) {
    if (!output.find("role")->textEquals("assistant")) return false;
    row.answer = output.raw();
    return true;
  }
  if (!output.isObject()) return false;
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
  if (!document) return std::nullopt;
  Node node = document->root();
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    std::optional<Node> next;
    if (node.isObject()) {
      next = node.find(step);
    } else if (node.isArray()) {
      std::size_t position = 0;
      const auto [end, problem] = std::from_chars(step.data(), step.data() + step.size(), position);
      if (problem != std::errc() || end != step.data() + step.size()) return std::nullopt;
      for (const Node item : node) {
        if (position-- == 0) {
          next = item;
          break;
        }
      }
    }
    if (!next) return std::nullopt;
    node = *next;
  }
  if (node.isBool()) return node.boolean() ? 1.0 : 0.0;
  if (!node.isNumber()) return std::nullopt;
  return node.number();
}

std::optional<std::string> feedbackPayload(std::string list, std::string_view type) {
  const std::optional<Document> document = parsed(std::move(list));
  std::optional<std::string> newest;
  if (!document || !document->root().isArray()) return newest;
  // In the order of creation.
  for (const Node item : document->root()) {
    if (!item.isObject()) continue;
    const std::optional<Node> its_type = item.find("feedback_type");
    const std::optional<Node> payload = item.find("payload");
    if (!its_type || !its_type->isString() || !its_type->textEquals(type) || !payload) continue;
    newest = std::string(payload->raw());
  }
  return newest;
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
