#include "engine/chat/chat_template.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include <common/chat.h>
#include <common/json-schema-to-grammar.h>

namespace spindle::engine {
namespace {

std::string escapedPattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view(".^$|()*+?[]{}\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

/// Adds the triggers of a lazy grammar.
void addTriggers(const Model& model, const common_chat_params& params, GrammarText& grammar) {
  std::string anywhere;
  for (const common_grammar_trigger& trigger : params.grammar_triggers) {
    std::string pattern = trigger.value;
    switch (trigger.type) {
      case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN:
        grammar.trigger_tokens.push_back(trigger.token);
        continue;
      case COMMON_GRAMMAR_TRIGGER_TYPE_WORD: {
        const std::vector<Token> tokens = model.tokensOf(trigger.value, true);
        const auto& kept = params.preserved_tokens;
        if (tokens.size() == 1 &&
            std::find(kept.begin(), kept.end(), trigger.value) != kept.end()) {
          grammar.trigger_tokens.push_back(tokens[0]);
          continue;
        }
        pattern = escapedPattern(trigger.value);
        break;
      }
      case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN:
        break;
      case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL:
        grammar.trigger_patterns.push_back(pattern);
        continue;
    }
    anywhere += (anywhere.empty() ? "" : "|") + pattern;
  }
  if (!anywhere.empty())
    grammar.trigger_patterns.push_back("^[\\s\\S]*?(" + anywhere + ")[\\s\\S]*");
}

/// Removes the free text before required tool calls from the rule `root`. The library's grammar
/// allows any text there, which could be endless.
std::string withoutLeadingText(std::string grammar) {
  constexpr std::string_view kTalk = "until-";
  constexpr std::string_view kCalls = "? tool-calls";
  const std::size_t root = grammar.find("root ::=");
  const std::size_t line_end = grammar.find('\n', root);
  const std::size_t calls = grammar.find(kCalls, root);
  if (root == std::string::npos || calls >= line_end) return grammar;
  const std::size_t talk = grammar.rfind(kTalk, calls);
  const std::size_t digits = talk + kTalk.size();
  if (talk == std::string::npos || talk < root ||
      grammar.find_first_not_of("0123456789", digits) != calls)
    return grammar;
  return grammar.erase(talk, calls + 2 - talk);
}

class Parser final : public ChatParser {
 public:
  Parser(const common_chat_params& params, bool one_call) : params_(params), one_call_(one_call) {
    params_.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    if (!params.parser.empty()) params_.parser.load(params.parser);
  }

  ParsedAnswer read(const std::string& text, bool partial) const override {
    try {
      const common_chat_msg message = common_chat_parse(text, partial, params_);
      ParsedAnswer reply{message.content, message.reasoning_content, {}};
      for (const common_chat_tool_call& call : message.tool_calls)
        reply.tool_calls.push_back({call.name, call.arguments});
      // The library's grammar allows several calls in one block nevertheless.
      if (one_call_ && reply.tool_calls.size() > 1) reply.tool_calls.resize(1);
      return reply;
    } catch (const std::exception&) {
      return {text, {}, {}};
    }
  }

 private:
  common_chat_parser_params params_;
  bool one_call_;
};

/// Returns true if the parser treats all text as content.
bool treatsAllAsContent(const ChatParser& parser) {
  const std::string text = " <a> {\"name\": [b]} `c` </d>\n ";
  const ParsedAnswer reply = parser.read(text, false);
  return reply.content == text && reply.reasoning.empty() && reply.tool_calls.empty();
}

class LlamaTemplate final : public ChatTemplate {
 public:
  LlamaTemplate(const Model& model, common_chat_templates_ptr templates)
      : model_(model),
        templates_(std::move(templates)),
        has_tools_(common_chat_templates_get_caps(templates_.get())["supports_tools"]) {}

  Result<ChatPrompt> render(const ChatTemplateInput& input) const override {
    if (!has_tools_ && !input.tools.empty() && input.tool_choice != ToolChoice::kNone) {
      return Error::invalidArgument(
          "tools is not supported by this model: its chat template does not support them.");
    }
    try {
      common_chat_params params = common_chat_templates_apply(templates_.get(), inputsOf(input));
      if (input.tool_choice == ToolChoice::kRequired)
        params.grammar = withoutLeadingText(std::move(params.grammar));
      ChatPrompt prompt = promptOf(params);
      const auto parser = std::make_shared<Parser>(params, !input.parallel_tool_calls);
      // The model may put JSON into a code fence, which the parser removes.
      const bool says_more =
          !input.tools.empty() || !input.json_schema.empty() || params.supports_thinking;
      if (says_more || !treatsAllAsContent(*parser)) prompt.parser = parser;
      return prompt;
    } catch (const std::exception& refusal) {
      return Error::invalidArgument(std::string("The messages are invalid: ") + refusal.what());
    }
  }

 private:
  static common_chat_templates_inputs inputsOf(const ChatTemplateInput& input) {
    common_chat_templates_inputs inputs;
    inputs.messages = common_chat_msgs_parse_oaicompat(common_json::parse(input.messages));
    if (!input.tools.empty())
      inputs.tools = common_chat_tools_parse_oaicompat(common_json::parse(input.tools));
    switch (input.tool_choice) {
      case ToolChoice::kAuto:
        inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_AUTO;
        break;
      case ToolChoice::kRequired:
        inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_REQUIRED;
        break;
      case ToolChoice::kNone:
        inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_NONE;
        break;
    }
    inputs.parallel_tool_calls = input.parallel_tool_calls;
    inputs.json_schema = input.json_schema;
    inputs.add_generation_prompt = input.add_generation_prompt;
    if (input.continue_final_message) inputs.continue_final_message = COMMON_CHAT_CONTINUATION_AUTO;
    inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    inputs.enable_thinking = input.enable_thinking;
    inputs.chat_template_kwargs = input.variables;
    return inputs;
  }

  ChatPrompt promptOf(const common_chat_params& params) const {
    ChatPrompt prompt;
    prompt.text = params.prompt;
    if (!params.grammar.empty()) {
      prompt.grammar.emplace();
      prompt.grammar->text = params.grammar;
      prompt.grammar->prefix = params.generation_prompt;
      if (params.grammar_lazy) addTriggers(model_, params, *prompt.grammar);
    }
    prompt.stop_texts = params.additional_stops;
    for (const std::string& text : params.preserved_tokens) {
      const std::vector<Token> tokens = model_.tokensOf(text, true);
      if (tokens.size() == 1) prompt.visible_special.push_back(tokens[0]);
    }
    return prompt;
  }

  const Model& model_;
  common_chat_templates_ptr templates_;
  const bool has_tools_;
};

}  // namespace

ParsedAnswer ChatPrompt::read(const std::string& answer) const {
  return parser == nullptr ? ParsedAnswer{answer, {}, {}} : parser->read(answer, false);
}

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::of(const Model& model,
                                                       const std::string& template_override) {
  try {
    return std::unique_ptr<ChatTemplate>(std::make_unique<LlamaTemplate>(
        model, common_chat_templates_init(model.handle(), template_override)));
  } catch (const std::exception& problem) {
    return Error::invalidArgument(std::string("The model's chat template cannot be read: ") +
                                  problem.what());
  }
}

}  // namespace spindle::engine
