#include "agents/chat/chat_projection.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "agents/chat/chat_tree.h"
#include "agents/store/message_content.h"
#include "agents/store/text_characters.h"
#include "base/core/ascii.h"

namespace spindle::agents {
namespace {

constexpr std::string_view kNotificationBegin = "<task-notification>";
constexpr std::string_view kNotificationEnd = "</task-notification>";

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += between;
    all += text;
  }
  return all;
}

/// Returns true for messages of a user: all roles except the listed ones, and no role.
bool isUserSide(const SpanMessage& message) {
  constexpr auto kOthers =
      std::to_array<std::string_view>({"assistant", "system", "tool", "tool_call", "tool_result"});
  return std::find(kOthers.begin(), kOthers.end(), message.role) == kOthers.end();
}

/// Returns true for a notification of a background task, which arrives as a user message.
bool isNotification(const SpanMessage& message) {
  if (message.role != "user") return false;
  const std::string_view text = trimmed(message.content);
  return text.starts_with(kNotificationBegin) && text.ends_with(kNotificationEnd) &&
         text.find(kNotificationEnd) == text.size() - kNotificationEnd.size();
}

std::string_view afterPrefix(std::string_view name, std::string_view prefix) {
  const bool there = name.size() > prefix.size() && name[prefix.size()] == ' ' &&
                     std::equal(prefix.begin(), prefix.end(), name.begin(),
                                [](char a, char b) { return a == toLower(b); });
  return there ? trimmed(name.substr(prefix.size())) : std::string_view();
}

/// Tokens and costs of a span and its subtree.
struct Sum {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<pricing::Cost> cost = {};
  std::string_view reasoning = {};  ///< of the span, or the first one in its subtree

  void add(const Sum& other) {
    input_tokens = pricing::addTokens(input_tokens, other.input_tokens);
    output_tokens = pricing::addTokens(output_tokens, other.output_tokens);
    reasoning_tokens = pricing::addTokens(reasoning_tokens, other.reasoning_tokens);
    if (reasoning.empty()) reasoning = other.reasoning;
    if (!other.cost) return;
    if (!cost) cost.emplace();
    cost->prompt += other.cost->prompt;
    cost->completion += other.cost->completion;
    cost->cache_read += other.cost->cache_read;
    cost->cache_creation += other.cost->cache_creation;
  }
};

class Projection {
 public:
  Projection(const std::vector<AgentSpan>& spans,
             const std::vector<std::optional<pricing::Cost>>& costs)
      : spans_(spans), costs_(costs), tree_(treeOf(spans)), labels_(spans.size()) {
    computeSums();
  }

  std::vector<ChatMessage> messages() {
    for (const std::size_t root : tree_.roots) visit(root, std::nullopt, 0);
    addUnreachedMessages();
    const bool swapped = messages_.size() >= 2 &&
                         std::holds_alternative<AgentStart>(messages_[0].payload) &&
                         std::holds_alternative<UserMessage>(messages_[1].payload);
    if (swapped) std::swap(messages_[0], messages_[1]);
    return std::move(messages_);
  }

 private:
  using Label = std::optional<std::string>;
  using Position = std::size_t;

  /// The result of a visit.
  struct Outcome {
    bool has_answer = false;                   ///< the subtree contains assistant text
    std::optional<Position> own_message = {};  ///< the assistant message of the span itself
  };

  void computeSums() {
    sums_.resize(spans_.size());
    std::vector<std::size_t> order = tree_.roots;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::vector<std::size_t>& children = tree_.children[order[i]];
      order.insert(order.end(), children.begin(), children.end());
    }
    // Parents come before their children. In reverse order the sums of all children are known.
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      sums_[*at] = own(*at);
      for (const std::size_t child : tree_.children[*at]) sums_[*at].add(sums_[child]);
    }
  }

  Sum own(std::size_t i) const {
    const AgentSpan& span = spans_[i];
    return {span.input_tokens, span.output_tokens, span.reasoning_tokens, costs_[i],
            span.reasoning_content};
  }

  static Label ownLabel(const AgentSpan& span) {
    if (!span.agent_name.empty()) return span.agent_name;
    if (!span.agent_id.empty()) return span.agent_id;
    return std::nullopt;
  }

  Position emit(const AgentSpan& span, Label label, ChatPayload payload) {
    messages_.push_back(messageOf(span, std::move(label), std::move(payload)));
    return messages_.size() - 1;
  }

  static ChatMessage messageOf(const AgentSpan& span, Label label, ChatPayload payload) {
    return {{std::move(label), span.agent_version, span.status_code, startOf(span)},
            span.span_id,
            std::move(payload)};
  }

  static ChatMessage userMessage(const AgentSpan& span, UserMessage said) {
    ChatMessage message;
    message.agent_name = "User";
    message.started_at = startOf(span);
    message.payload = std::move(said);
    return message;
  }

  static ToolCall notification(const AgentSpan& span, const SpanMessage& message) {
    ToolCall call;
    call.tool_name = "Task notification";
    call.tool_result = textOf(message);
    call.status = span.status_code;
    return call;
  }

  Outcome visit(std::size_t i, const Label& inherited, int depth) {
    if (depth > kChatDepth) return {};
    const std::string& operation = spans_[i].operation_name;
    if (operation == kInvokeAgent) return visitAgent(i, inherited, depth);
    Label label = ownLabel(spans_[i]);
    if (!label) label = inherited;
    labels_[i] = label;
    return operation == kExecuteTool ? visitTool(i, label, depth) : visitContent(i, label, depth);
  }

  bool visitChildren(std::size_t i, const Label& label, int depth) {
    bool has_answer = false;
    for (const std::size_t child : tree_.children[i])
      has_answer = visit(child, label, depth + 1).has_answer || has_answer;
    return has_answer;
  }

  Outcome visitAgent(std::size_t i, const Label& inherited, int depth) {
    const AgentSpan& span = spans_[i];
    const Label own_label = ownLabel(span);
    Label label = own_label ? own_label : inherited;
    const std::string_view named = afterPrefix(span.span_name, kInvokeAgent);
    if (!label && !named.empty()) label = std::string(named);
    labels_[i] = label;

    const std::string instructions = joined(span.system_instructions, "\n");
    if (own_label || !span.request_model.empty() || !instructions.empty() ||
        !span.tool_definitions.empty()) {
      const Position agent_start = emit(span, own_label, agentStartOf(span, instructions));
      pending_ = instructions.empty() ? std::optional(agent_start) : std::nullopt;
      if (!instructions.empty()) instructions_ = instructions;
    }
    if (!span.compaction_summary.empty() || span.compaction_items_before > 0) {
      emit(span, label,
           ContextCompacted{span.compaction_summary, span.compaction_items_before,
                            span.compaction_items_after});
    }
    if (visitChildren(i, label, depth)) return {true};
    std::optional<AssistantMessage> answer = answerOf(i, sums_[i]);
    if (!answer) return {};
    if (const std::optional<AsyncLaunch> launch = asyncLaunchOf(answer->text)) {
      // With the duration, status and files of the answer.
      ToolCall call{static_cast<const StepOutcome&>(*answer)};
      call.tool_name = "Start " + label.value_or("subagent");
      call.tool_arguments = launch->description;
      call.tool_result = std::move(answer->text);
      emit(span, label, std::move(call));
      return {};
    }
    return {true, emit(span, label, *std::move(answer))};
  }

  Outcome visitTool(std::size_t i, const Label& label, int depth) {
    const AgentSpan& span = spans_[i];
    const std::string_view named = afterPrefix(span.span_name, kExecuteTool);
    ToolCall call{{durationMs(span), span.status_code, span.content_refs}, span.tool_name};
    if (call.tool_name.empty()) call.tool_name = named.empty() ? span.span_name : named;
    call.tool_arguments = span.tool_call_arguments;
    call.tool_result = span.tool_call_result;
    emit(span, label, std::move(call));
    return {visitChildren(i, label, depth)};
  }

  Outcome visitContent(std::size_t i, const Label& label, int depth) {
    const AgentSpan& span = spans_[i];
    showInstructions(span, label);
    showUserTurn(span, label);

    bool has_answer = false;
    std::vector<Position> children;
    for (const std::size_t child : tree_.children[i]) {
      const Outcome outcome = visit(child, label, depth + 1);
      has_answer = has_answer || outcome.has_answer;
      if (outcome.own_message) children.push_back(*outcome.own_message);
    }
    std::optional<AssistantMessage> answer = answerOf(i, own(i));
    if (!answer) return {has_answer};
    const bool has_text = !answer->text.empty();
    if (has_text) {
      for (const Position child : children) {
        if (std::get<AssistantMessage>(messages_[child].payload).text != answer->text) continue;
        merge(messageOf(span, label, *std::move(answer)), messages_[child]);
        return {true};
      }
    }
    const Position position = emit(span, label, *std::move(answer));
    return {has_answer || has_text, position};
  }

  static AgentStart agentStartOf(const AgentSpan& span, const std::string& instructions) {
    AgentStart agent_start{span.request_model};
    if (!instructions.empty()) agent_start.system_instructions = instructions;
    if (!span.tool_definitions.empty()) agent_start.tool_definitions = span.tool_definitions;
    agent_start.status = span.status_code;
    return agent_start;
  }

  void showInstructions(const AgentSpan& span, const Label& label) {
    const std::string instructions = joined(span.system_instructions, "\n");
    if (instructions.empty() || instructions == instructions_) return;
    instructions_ = instructions;
    const std::optional<Position> pending = std::exchange(pending_, std::nullopt);
    if (pending && messages_[*pending].agent_name == label) {
      auto& agent_start = std::get<AgentStart>(messages_[*pending].payload);
      agent_start.system_instructions = instructions;
      if (!agent_start.tool_definitions && !span.tool_definitions.empty())
        agent_start.tool_definitions = span.tool_definitions;
      return;
    }
    emit(span, label, agentStartOf(span, instructions));
  }

  void showUserTurn(const AgentSpan& span, const Label& label) {
    const std::vector<SpanMessage>& given = span.input_messages;
    std::size_t first = given.size();
    while (first > 0 && isUserSide(given[first - 1])) --first;
    for (; first < given.size(); ++first) {
      if (isNotification(given[first])) {
        emit(span, label, notification(span, given[first]));
        notified_ = true;
        continue;
      }
      UserMessage said{textOf(given[first]), refsOf(given[first], span.content_refs)};
      if (said.text.empty() && said.content_refs.empty()) continue;
      if (last_user_message_ && last_user_message_->text == said.text &&
          last_user_message_->content_refs == said.content_refs)
        continue;
      last_user_message_ = said;
      pending_ = std::nullopt;
      messages_.push_back(userMessage(span, std::move(said)));
    }
  }

  /// Returns the answer of the span itself, with its usage; nothing if there is nothing to show.
  std::optional<AssistantMessage> answerOf(std::size_t i, const Sum& used) const {
    const AgentSpan& span = spans_[i];
    AssistantMessage answer;
    for (const SpanMessage& message : span.output_messages) {
      if (message.role == "user") continue;
      const std::string text = textOf(message);
      if (!text.empty()) answer.text += (answer.text.empty() ? "" : "\n\n") + text;
      addUnique(answer.content_refs, refsOf(message, span.content_refs));
    }
    answer.reasoning_content = used.reasoning;
    const bool failed = span.status_code == "ERROR";
    if (answer.text.empty() && answer.reasoning_content.empty() && !failed) return std::nullopt;
    answer.model = span.response_model.empty() ? span.request_model : span.response_model;
    answer.input_tokens = used.input_tokens;
    answer.output_tokens = used.output_tokens;
    answer.reasoning_tokens = used.reasoning_tokens;
    if (used.cost) {
      answer.input_cost_usd = used.cost->prompt;
      answer.output_cost_usd = used.cost->completion;
      answer.total_cost_usd = used.cost->total();
    }
    answer.duration_ms = durationMs(span);
    answer.status = span.status_code;
    return answer;
  }

  /// Fills empty members of `into` from a message with the same text.
  static void merge(ChatMessage from, ChatMessage& into) {
    const auto fill = [](auto& value, auto& other) {
      if (value == std::remove_reference_t<decltype(value)>()) value = std::move(other);
    };
    if (into.agent_name.value_or("").empty()) into.agent_name = std::move(from.agent_name);
    if (into.agent_version.value_or("").empty()) into.agent_version = std::move(from.agent_version);
    if (into.status_code.value_or("").empty()) into.status_code = std::move(from.status_code);
    auto& said = std::get<AssistantMessage>(into.payload);
    auto& other = std::get<AssistantMessage>(from.payload);
    fill(said.model, other.model);
    fill(said.reasoning_content, other.reasoning_content);
    fill(said.reasoning_tokens, other.reasoning_tokens);
    fill(said.input_tokens, other.input_tokens);
    fill(said.output_tokens, other.output_tokens);
    fill(said.input_cost_usd, other.input_cost_usd);
    fill(said.output_cost_usd, other.output_cost_usd);
    fill(said.total_cost_usd, other.total_cost_usd);
    fill(said.duration_ms, other.duration_ms);
    fill(said.status, other.status);
    addUnique(said.content_refs, std::move(other.content_refs));
  }

  /// Adds a prompt or a notification that the walk did not reach.
  void addUnreachedMessages() {
    std::vector<std::size_t> order = tree_.by_start;
    std::stable_partition(order.begin(), order.end(), [this](std::size_t i) {
      return spans_[i].operation_name == kInvokeAgent;
    });
    std::vector<ChatMessage> leading;
    if (!last_user_message_) {
      for (const std::size_t i : order) {
        std::string text = promptIn(spans_[i]);
        if (text.empty()) continue;
        leading.push_back(userMessage(spans_[i], {std::move(text), userRefs()}));
        break;
      }
    }
    if (!notified_) {
      for (const std::size_t i : order) {
        const std::vector<SpanMessage>& given = spans_[i].input_messages;
        const auto found = std::find_if(given.rbegin(), given.rend(), isNotification);
        if (found == given.rend()) continue;
        leading.push_back(messageOf(spans_[i], labels_[i], notification(spans_[i], *found)));
        break;
      }
    }
    messages_.insert(messages_.begin(), std::make_move_iterator(leading.begin()),
                     std::make_move_iterator(leading.end()));
  }

  /// Returns the last user message in the span; messages with the role `user` come first.
  static std::string promptIn(const AgentSpan& span) {
    for (const bool named : {true, false}) {
      for (auto at = span.input_messages.rbegin(); at != span.input_messages.rend(); ++at) {
        if (!isUserSide(*at) || (at->role == "user") != named || isNotification(*at)) continue;
        std::string text = textOf(*at);
        if (!text.empty()) return text;
      }
    }
    return {};
  }

  std::vector<std::string> userRefs() const {
    std::vector<std::string> refs;
    for (const std::size_t i : tree_.by_start) {
      const AgentSpan& span = spans_[i];
      for (const auto* messages : {&span.input_messages, &span.output_messages}) {
        for (const SpanMessage& message : *messages) {
          const bool user =
              messages == &span.input_messages ? isUserSide(message) : message.role == "user";
          if (!user) continue;
          std::vector<std::string> more = refsOf(message, span.content_refs);
          refs.insert(refs.end(), std::make_move_iterator(more.begin()),
                      std::make_move_iterator(more.end()));
        }
      }
    }
    std::vector<std::string> once;
    addUnique(once, std::move(refs));
    return once;
  }

  const std::vector<AgentSpan>& spans_;
  const std::vector<std::optional<pricing::Cost>>& costs_;
  const ChatTree tree_;
  std::vector<Label> labels_;
  std::vector<Sum> sums_;
  std::vector<ChatMessage> messages_;
  std::optional<UserMessage> last_user_message_;
  std::string instructions_;         ///< the last instructions that were shown
  std::optional<Position> pending_;  ///< an AgentStart message without instructions yet
  bool notified_ = false;
};

}  // namespace

std::string_view typeOf(const ChatMessage& message) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"user_message", "assistant_message", "tool_call", "agent_start", "context_compacted"});
  return kNames[message.payload.index()];
}

Chat projectChat(const std::vector<AgentSpan>& spans,
                 const std::vector<std::optional<pricing::Cost>>& costs) {
  Chat chat;
  const std::optional<std::size_t> root = rootOf(spans);
  if (!root) return chat;
  const AgentSpan& span = spans[*root];
  chat.root = Chat::Root{{span.agent_name, span.agent_version, span.status_code, startOf(span)},
                         span.agent_name.empty() ? span.span_name : span.agent_name,
                         span.provider_name,
                         span.svc_user_id,
                         span.ended_at,
                         durationMs(span)};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    using pricing::addTokens;
    const AgentSpan& one = spans[i];
    chat.input_tokens = addTokens(chat.input_tokens, one.input_tokens);
    chat.output_tokens = addTokens(chat.output_tokens, one.output_tokens);
    chat.reasoning_tokens = addTokens(chat.reasoning_tokens, one.reasoning_tokens);
    chat.cache_creation_input_tokens =
        addTokens(chat.cache_creation_input_tokens, one.cache_creation_input_tokens);
    chat.cache_read_input_tokens =
        addTokens(chat.cache_read_input_tokens, one.cache_read_input_tokens);
    if (costs[i]) chat.total_cost_usd = chat.total_cost_usd.value_or(0) + costs[i]->total();
  }
  chat.messages = Projection(spans, costs).messages();
  return chat;
}

}  // namespace spindle::agents
