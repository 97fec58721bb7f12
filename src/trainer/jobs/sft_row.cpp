#include <string_view>
#include <variant>

#include "json/document.h"
#include "trainer/jobs/json_member.h"
#include "trainer/jobs/sft_tokens.h"

namespace spindle::trainer {
namespace {

bool hasUsableContent(const json::Node& message) {
  const std::optional<json::Node> content = memberOf(message, "content");
  return !content || content->isString() || content->isArray();
}

Error wrongLossMask(const std::string& why) { return Error::invalidArgument("loss_mask " + why); }

/// Returns the flags of a mask of type `message_mask`, one per message.
Result<std::vector<bool>> messageMaskOf(const json::Node& node) {
  const std::optional<json::Node> list = memberOf(node, "mask");
  if (!list || !list->isArray()) return wrongLossMask("has no list `mask`");
  std::vector<bool> messages;
  for (const json::Node item : *list) {
    if (!item.isBool())
      return wrongLossMask("has a mask with a value that is neither true nor false");
    messages.push_back(item.boolean());
  }
  return messages;
}

/// Returns the flags of a mask of type `roles`, by role.
std::map<std::string, bool> roleMaskOf(const json::Node& node) {
  // The roles are beside the type, or in a member `roles`.
  const std::optional<json::Node> inner = memberOf(node, "roles");
  const json::Node& members = inner && inner->isObject() ? *inner : node;
  std::map<std::string, bool> roles;
  std::optional<std::string> role;
  for (const json::Node item : members) {
    if (!role) {
      role = item.text();
      continue;
    }
    if (item.isBool()) roles[*role] = item.boolean();
    role.reset();
  }
  return roles;
}

Result<LossMask> lossMaskOf(const json::Node& node) {
  if (!node.isObject()) return wrongLossMask("is not an object");
  const std::optional<json::Node> type = memberOf(node, "type");
  const std::string name = type && type->isString() ? type->text() : std::string();
  LossMask mask;
  if (name == "all") return mask;
  if (name == "none") {
    mask.kind = LossMask::Kind::kNone;
  } else if (name == "last_assistant") {
    mask.kind = LossMask::Kind::kLastAssistant;
  } else if (name == "message_mask") {
    mask.kind = LossMask::Kind::kMessages;
    std::vector<bool> messages = TRY(messageMaskOf(node));
    mask.messages = std::move(messages);
  } else if (name == "roles") {
    mask.kind = LossMask::Kind::kRoles;
    mask.roles = roleMaskOf(node);
  } else {
    return wrongLossMask("has no known type");
  }
  return mask;
}

}  // namespace

Result<SftRow> sftRowOf(const std::string& json) {
  const std::variant<json::Document, json::SyntaxError> parsed = json::Document::parse(json);
  if (const auto* problem = std::get_if<json::SyntaxError>(&parsed))
    return Error::invalidArgument("it is not JSON: " + problem->message);
  const json::Node root = std::get<json::Document>(parsed).root();
  if (!root.isObject()) return Error::invalidArgument("it is not a JSON object");
  const std::optional<json::Node> messages = memberOf(root, "messages");
  if (!messages || !messages->isArray() || messages->size() == 0) {
    return Error::invalidArgument(
        std::string(R"(it has no messages: SFT learns from examples, {"messages": [{"role": …, )") +
        R"("content": …}, …]})" +
        (memberOf(root, "trajectories") ? "; this is a group of trajectories for RL" : ""));
  }
  SftRow row;
  for (const json::Node message : *messages) {
    const std::optional<json::Node> role =
        message.isObject() ? memberOf(message, "role") : std::nullopt;
    if (!role || !role->isString()) return Error::invalidArgument("a message has no role");
    if (!hasUsableContent(message)) {
      return Error::invalidArgument("messages[" + std::to_string(row.messages.size()) +
                                    "].content is neither text nor a list of parts");
    }
    row.messages.emplace_back(message.raw());
    row.roles.push_back(role->text());
  }
  if (const std::optional<json::Node> mask = memberOf(root, "loss_mask")) {
    LossMask read = TRY(lossMaskOf(*mask));
    row.loss_mask = std::move(read);
  } else if (row.roles.back() != "assistant") {
    return Error::invalidArgument("its last message is not the assistant's");
  }
  if (const std::optional<json::Node> tools = memberOf(root, "tools");
      tools && tools->isArray() && tools->size() > 0)
    row.tools = std::string(tools->raw());
  return row;
}

}  // namespace spindle::trainer
