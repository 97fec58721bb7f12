#include "engine/chat_plan.h"

#include <charconv>
#include <utility>
#include <variant>

#include "json/document.h"

namespace spindle::engine {
namespace {

Error wrong(const std::string& message) { return Error::invalidArgument(message); }

std::string arrayOf(const std::vector<json::Text>& items) {
  std::string text = "[";
  for (const json::Text& item : items) text.append(text.size() > 1 ? "," : "").append(item.json);
  return text + "]";
}

/// The function's name of a tool in OpenAI's shape, empty when it has none.
std::string nameOf(const json::Text& tool) {
  const auto parsed = json::Document::parse(tool.json);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return {};
  const std::optional<json::Node> function = document->root().find("function");
  if (!function || !function->isObject()) return {};
  const std::optional<json::Node> name = function->find("name");
  return name && name->isString() ? name->text() : std::string();
}

Result<void> setTools(const ChatRequest& request, ChatQuestion& question, bool& names_tool) {
  if (!request.tools || request.tools->empty()) {
    if (request.tool_choice && !std::holds_alternative<std::string>(*request.tool_choice))
      return wrong("tool_choice names a function, but there are no tools.");
    const auto* word =
        request.tool_choice ? std::get_if<std::string>(&*request.tool_choice) : nullptr;
    if (word != nullptr && *word == "required")
      return wrong("tool_choice is 'required', but there are no tools.");
    return {};
  }
  std::vector<json::Text> tools = *request.tools;
  question.tool_choice = ToolChoice::kAuto;
  if (request.tool_choice) {
    if (const auto* word = std::get_if<std::string>(&*request.tool_choice)) {
      if (*word == "none") question.tool_choice = ToolChoice::kNone;
      if (*word == "required") question.tool_choice = ToolChoice::kRequired;
    } else {
      const std::string& name =
          std::get<ChatRequest::NamedTool>(*request.tool_choice).function.name;
      std::erase_if(tools, [&name](const json::Text& tool) { return nameOf(tool) != name; });
      if (tools.empty()) return wrong("tool_choice names '" + name + "', which is no tool.");
      question.tool_choice = ToolChoice::kRequired;
      names_tool = true;
    }
  }
  question.tools = arrayOf(tools);
  question.parallel_tool_calls = request.parallel_tool_calls.value_or(true);
  return {};
}

Result<void> setFormat(const ChatRequest& request, ChatQuestion& question) {
  if (!request.response_format || request.response_format->type == "text") return {};
  if (request.response_format->type == "json_object") {
    question.json_schema = R"({"type":"object"})";
    return {};
  }
  const std::optional<ChatRequest::JsonSchema>& format = request.response_format->json_schema;
  if (!format || !format->schema) return wrong("response_format.json_schema has no schema.");
  question.json_schema = format->schema->json;
  return {};
}

Result<void> setVariables(const ChatRequest& request, ChatQuestion& question) {
  if (!request.chat_template_kwargs) return {};
  const auto parsed = json::Document::parse(request.chat_template_kwargs->json);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return wrong("chat_template_kwargs is no JSON object.");
  std::optional<std::string> name;
  for (const json::Node node : document->root()) {
    if (!name) {
      name = node.text();
      continue;
    }
    if (*name == "enable_thinking" && node.isBool()) question.enable_thinking = node.boolean();
    question.variables[*name] = node.raw();
    name.reset();
  }
  return {};
}

Result<ChatQuestion> questionOf(const ChatRequest& request, bool& names_tool) {
  ChatQuestion question;
  question.messages = arrayOf(request.messages);
  question.add_generation_prompt = request.add_generation_prompt;
  question.continue_final_message = request.continue_final_message;
  if (request.add_generation_prompt && request.continue_final_message)
    question.add_generation_prompt = false;
  if (Result<void> set = setTools(request, question, names_tool); !set)
    return std::move(set).error();
  if (Result<void> set = setFormat(request, question); !set) return std::move(set).error();
  if (Result<void> set = setVariables(request, question); !set) return std::move(set).error();
  if (!question.json_schema.empty() && !question.tools.empty() &&
      question.tool_choice != ToolChoice::kNone)
    return wrong("response_format and tools cannot be used together.");
  return question;
}

Result<SamplingParams> samplingOf(const ChatRequest& request, std::uint64_t fresh_seed) {
  SamplingParams sampling;
  sampling.temperature = request.temperature.value_or(1);
  sampling.top_p = request.top_p.value_or(1);
  sampling.min_p = request.min_p.value_or(0);
  sampling.top_k = static_cast<int>(std::min<std::int64_t>(request.top_k.value_or(0), 1 << 30));
  sampling.repetition_penalty = request.repetition_penalty.value_or(1);
  sampling.frequency_penalty = request.frequency_penalty.value_or(0);
  sampling.presence_penalty = request.presence_penalty.value_or(0);
  sampling.seed = request.seed ? static_cast<std::uint64_t>(*request.seed) : fresh_seed;
  if (!request.logit_bias) return sampling;
  for (const auto& [text, bias] : *request.logit_bias) {
    Token token = 0;
    const char* end = text.data() + text.size();
    const auto [read, problem] = std::from_chars(text.data(), end, token);
    if (problem != std::errc() || read != end || token < 0)
      return wrong("logit_bias: '" + text + "' is no token id.");
    sampling.logit_bias[token] = bias;
  }
  return sampling;
}

void setEnds(const ChatRequest& request, GenerationRequest& generation) {
  if (request.stop) {
    if (const auto* text = std::get_if<std::string>(&*request.stop)) {
      generation.stop_texts = {*text};
    } else {
      generation.stop_texts = std::get<std::vector<std::string>>(*request.stop);
    }
    std::erase(generation.stop_texts, std::string());
  }
  for (const std::int64_t token : request.stop_token_ids)
    generation.stop_tokens.push_back(static_cast<Token>(token));
  generation.min_tokens = request.min_tokens.value_or(0);
  generation.ignore_end = request.ignore_eos;
  generation.include_stop_text = request.include_stop_str_in_output;
}

}  // namespace

Result<ChatPlan> planChat(const Model& model,
                          const ChatTemplate& chat_template,
                          const ChatRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed) {
  if (request.stream_options && !request.stream)
    return wrong("stream_options is only for stream=true.");
  if (request.top_logprobs.value_or(0) > 0 && !request.logprobs.value_or(false))
    return wrong("top_logprobs needs logprobs=true.");
  ChatPlan plan;
  const Result<ChatQuestion> question = questionOf(request, plan.names_tool);
  if (!question) return question.error();
  Result<ChatPrompt> prompt = chat_template.render(*question);
  if (!prompt) return std::move(prompt).error();
  plan.prompt = *std::move(prompt);
  Result<SamplingParams> sampling = samplingOf(request, fresh_seed);
  if (!sampling) return std::move(sampling).error();
  GenerationRequest& generation = plan.generation;
  generation.sampling = *std::move(sampling);
  generation.prompt = model.tokensOf(plan.prompt.text, true);
  setEnds(request, generation);
  for (const std::string& text : plan.prompt.stop_texts) generation.stop_texts.push_back(text);
  generation.grammar = plan.prompt.grammar;
  generation.shown = plan.prompt.shown;
  generation.cache_salt = request.cache_salt.value_or("");
  const std::int64_t left = context - static_cast<std::int64_t>(generation.prompt.size());
  const std::optional<std::int64_t> asked =
      request.max_completion_tokens ? request.max_completion_tokens : request.max_tokens;
  if (left < 1 || asked.value_or(1) > left) {
    return wrong("This model's maximum context length is " + std::to_string(context) +
                 " tokens. The messages have " + std::to_string(generation.prompt.size()) +
                 (asked ? " and " + std::to_string(*asked) + " were asked for." : "."))
        .because("context_length_exceeded");
  }
  generation.max_tokens = asked.value_or(left);
  plan.shows_logprobs = request.logprobs.value_or(false);
  if (plan.shows_logprobs)
    generation.top_logprobs = static_cast<int>(request.top_logprobs.value_or(0));
  plan.answers = request.n.value_or(1);
  return plan;
}

}  // namespace spindle::engine
