#include "trainer/jobs/trajectory.h"

#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "json/document.h"
#include "trainer/jobs/json_member.h"

namespace spindle::trainer {
namespace {

std::string textAt(const json::Node& object, std::string_view name) {
  const std::optional<json::Node> found = memberOf(object, name);
  return found && found->isString() ? found->text() : std::string();
}

/// Reads one group and keeps the first error and its location.
class TrajectoryReader {
 public:
  Result<TrajectoryGroup> read(const json::Node& root) {
    TrajectoryGroup group;
    if (!root.isObject()) fail("it is not a JSON object");
    if (!memberOf(root, "trajectories")) fail(withoutTrajectories(root));
    if (const auto list = arrayAt(root, "trajectories")) {
      for (const json::Node item : *list) {
        at_ = "trajectories[" + std::to_string(group.trajectories.size()) + "]";
        group.trajectories.push_back(trajectory(item));
      }
    }
    at_.clear();
    if (const auto list = arrayAt(root, "exceptions")) group.exceptions = list->size();
    if (const auto map = memberOf(root, "metrics")) group.metrics = numbers(*map, "metrics");
    if (!problem_.empty()) return Error::invalidArgument(problem_);
    return group;
  }

 private:
  static std::string withoutTrajectories(const json::Node& root) {
    return std::string("it has no trajectories: RL learns from groups, ") +
           R"({"trajectories": [{"messages_and_choices": […], "reward": …}, …]})" +
           (memberOf(root, "messages") ? "; this is an example for SFT" : "");
  }

  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = (at_.empty() ? "" : at_ + ": ") + why;
  }

  std::optional<json::Node> arrayAt(const json::Node& object, std::string_view name) {
    const std::optional<json::Node> found = memberOf(object, name);
    if (found && !found->isArray()) fail(std::string(name) + " is not a list");
    return found && found->isArray() ? found : std::nullopt;
  }

  std::map<std::string, double> numbers(const json::Node& map, std::string_view name) {
    std::map<std::string, double> values;
    if (!map.isObject()) {
      fail(std::string(name) + " is not an object");
      return values;
    }
    std::optional<std::string> key;
    for (const json::Node node : map) {
      if (!key) {
        key = node.text();
        continue;
      }
      if (node.isNumber()) values[*key] = node.number();
      if (node.isBool()) values[*key] = node.boolean() ? 1 : 0;
      key.reset();
    }
    return values;
  }

  Trajectory trajectory(const json::Node& node) {
    Trajectory made;
    if (!node.isObject()) {
      fail("it is not a JSON object");
      return made;
    }
    if (const auto reward = memberOf(node, "reward")) {
      made.reward = reward->isNumber() ? reward->number() : std::nan("");
      if (!std::isfinite(made.reward)) fail("reward is not a finite number");
    }
    if (const auto map = memberOf(node, "metrics")) made.metrics = numbers(*map, "metrics");
    if (const auto list = arrayAt(node, "messages_and_choices"); list && list->size() > 0)
      made.histories.push_back(history(node));
    if (const auto list = arrayAt(node, "additional_histories")) {
      for (const json::Node item : *list) made.histories.push_back(history(item));
    }
    if (const auto exchanges = memberOf(node, "exchanges")) addExchanges(*exchanges, made);
    return made;
  }

  History history(const json::Node& node) {
    History made;
    made.tools = toolsOf(node);
    if (const auto kwargs = memberOf(node, "chat_template_kwargs"))
      made.template_variables = std::string(kwargs->raw());
    const auto list = arrayAt(node, "messages_and_choices");
    if (!list) {
      fail("messages_and_choices is missing");
      return made;
    }
    for (const json::Node item : *list) {
      const bool is_choice =
          memberOf(item, "message") && (memberOf(item, "finish_reason") || memberOf(item, "index"));
      made.items.push_back(is_choice ? choice(item) : message(item));
    }
    return made;
  }

  /// Returns the tools. Wraps bare functions, which some clients send.
  std::string toolsOf(const json::Node& node) {
    const std::optional<json::Node> tools = arrayAt(node, "tools");
    if (!tools || tools->size() == 0) return {};
    std::string text = "[";
    for (const json::Node tool : *tools) {
      const std::string raw(tool.raw());
      text += text.size() > 1 ? "," : "";
      text += memberOf(tool, "function") ? raw : R"({"type":"function","function":)" + raw + "}";
    }
    return text + "]";
  }

  HistoryItem message(const json::Node& node) {
    HistoryItem item;
    item.role = textAt(node, "role");
    if (item.role.empty()) fail("a message has no role");
    item.message = std::string(node.raw());
    item.content = textAt(node, "content");
    const auto calls = memberOf(node, "tool_calls");
    item.has_tool_calls = calls && calls->isArray() && calls->size() > 0;
    return item;
  }

  HistoryItem choice(const json::Node& node) {
    HistoryItem item = message(*memberOf(node, "message"));
    item.is_choice = true;
    item.prompt_ids = ids(node, "prompt_token_ids");
    item.token_ids = ids(node, "token_ids");
    const auto logprobs = memberOf(node, "logprobs");
    if (!logprobs) return item;
    auto list = arrayAt(*logprobs, "content");
    if (!list) list = arrayAt(*logprobs, "refusal");
    if (!list) return item;
    item.logprobs.emplace();
    for (const json::Node entry : *list) {
      const auto number = memberOf(entry, "logprob");
      if (!number || !number->isNumber()) {
        fail("logprobs contains an entry without a logprob");
        break;
      }
      item.logprobs->push_back({textAt(entry, "token"), number->number()});
    }
    return item;
  }

  std::optional<std::vector<std::int64_t>> ids(const json::Node& node, std::string_view name) {
    const std::optional<json::Node> list = arrayAt(node, name);
    if (!list) return std::nullopt;
    std::vector<std::int64_t> ids;
    for (const json::Node id : *list) {
      const auto number = id.kind() == json::Kind::kInteger ? id.integer() : std::nullopt;
      if (!number || *number < 0) {
        fail(std::string(name) + " contains a value that is not a token id");
        break;
      }
      ids.push_back(*number);
    }
    return ids;
  }

  /// Adds recorded requests and responses. With token ids they form one history, whose parts are
  /// joined by common prefixes; without token ids each forms its own history.
  void addExchanges(const json::Node& exchanges, Trajectory& trajectory) {
    for (const std::string_view other : {"completions", "responses", "messages"}) {
      if (const auto list = arrayAt(exchanges, other); list && list->size() > 0) {
        fail("exchanges." + std::string(other) +
             " cannot be trained on; chat_completions can, and messages_and_choices");
      }
    }
    const auto list = arrayAt(exchanges, "chat_completions");
    if (!list || list->size() == 0) return;
    if (!trajectory.histories.empty())
      return fail("it has both exchanges and messages_and_choices");
    std::vector<History> each;
    bool exact = true;
    for (const json::Node exchange : *list) {
      History one = exchangeHistory(exchange);
      exact = exact && !one.items.empty() && one.items.back().prompt_ids.has_value() &&
              one.items.back().token_ids.has_value();
      each.push_back(std::move(one));
    }
    if (!exact) {
      trajectory.histories = std::move(each);
      return;
    }
    History whole;
    for (History& one : each) whole.items.push_back(std::move(one.items.back()));
    trajectory.histories.push_back(std::move(whole));
  }

  History exchangeHistory(const json::Node& exchange) {
    History made;
    const auto request = memberOf(exchange, "request");
    const auto response = memberOf(exchange, "response");
    const auto messages = request ? arrayAt(*request, "messages") : std::nullopt;
    const auto choices = response ? arrayAt(*response, "choices") : std::nullopt;
    if (!messages || !choices || choices->size() == 0) {
      fail("an exchange lacks request.messages or response.choices");
      return made;
    }
    made.tools = toolsOf(*request);
    if (const auto kwargs = memberOf(*request, "chat_template_kwargs"))
      made.template_variables = std::string(kwargs->raw());
    for (const json::Node item : *messages) made.items.push_back(message(item));
    const json::Node first = *choices->begin();
    if (!memberOf(first, "message")) {
      fail("a choice has no message");
      return made;
    }
    HistoryItem answer = choice(first);
    if (!answer.prompt_ids) answer.prompt_ids = ids(*response, "prompt_token_ids");
    made.items.push_back(std::move(answer));
    return made;
  }

  std::string at_;
  std::string problem_;
};

}  // namespace

Result<TrajectoryGroup> trajectoryGroupOf(const std::string& json) {
  const std::variant<json::Document, json::SyntaxError> parsed = json::Document::parse(json);
  if (const auto* problem = std::get_if<json::SyntaxError>(&parsed))
    return Error::invalidArgument("it is not JSON: " + problem->message);
  return TrajectoryReader().read(std::get<json::Document>(parsed).root());
}

}  // namespace spindle::trainer
