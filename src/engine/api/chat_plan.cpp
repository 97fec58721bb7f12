#include "engine/api/chat_plan.h"

#include <utility>
#include <variant>

#include "engine/chat/strict_schema.h"
#include "json/document.h"
#include "json/writer.h"

namespace spindle::engine {
namespace {

std::string arrayOf(const std::vector<json::Text>& items) {
  std::string text = "[";
  for (const json::Text& item : items) text.append(text.size() > 1 ? "," : "").append(item.json);
  return text + "]";
}

/// Returns the function name of a tool in OpenAI format; empty when it has none.
std::string nameOf(const json::Text& tool) {
  const auto parsed = json::Document::parse(tool.json);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return {};
  const std::optional<json::Node> function = document->root().find("function");
  if (!function || !function->isObject()) return {};
  const std::optional<json::Node> name = function->find("name");
  return name && name->isString() ? name->text() : std::string();
}

Result<void> setTools(const ChatRequest& request, ChatTemplateInput& input, bool& names_tool) {
  if (!request.tools || request.tools->empty()) {
    if (request.tool_choice && !std::holds_alternative<std::string>(*request.tool_choice))
      return Error::invalidArgument("tool_choice names a function, but there are no tools.");
    const auto* word =
        request.tool_choice ? std::get_if<std::string>(&*request.tool_choice) : nullptr;
    if (word != nullptr && *word == "required")
      return Error::invalidArgument("tool_choice is 'required', but there are no tools.");
    return {};
  }
  std::vector<json::Text> tools = *request.tools;
  input.tool_choice = ToolChoice::kAuto;
  if (request.tool_choice) {
    if (const auto* word = std::get_if<std::string>(&*request.tool_choice)) {
      if (*word == "none") input.tool_choice = ToolChoice::kNone;
      if (*word == "required") input.tool_choice = ToolChoice::kRequired;
    } else {
      const std::string& name =
          std::get<ChatRequest::NamedTool>(*request.tool_choice).function.name;
      std::erase_if(tools, [&name](const json::Text& tool) { return nameOf(tool) != name; });
      if (tools.empty())
        return Error::invalidArgument("tool_choice names '" + name + "', which is not in tools.");
      input.tool_choice = ToolChoice::kRequired;
      names_tool = true;
    }
  }
  input.tools = arrayOf(tools);
  input.parallel_tool_calls = request.parallel_tool_calls.value_or(true);
  return {};
}

Result<void> setFormat(const ChatRequest& request, ChatTemplateInput& input) {
  if (!request.response_format || request.response_format->type == "text") return {};
  if (request.response_format->type == "json_object") {
    input.json_schema = R"({"type":"object"})";
    return {};
  }
  const std::optional<ChatRequest::JsonSchema>& format = request.response_format->json_schema;
  if (!format || !format->schema)
    return Error::invalidArgument("response_format.json_schema has no schema.");
  input.json_schema =
      format->strict.value_or(false) ? strictSchema(format->schema->json) : format->schema->json;
  return {};
}

Result<void> setVariables(const ChatRequest& request, ChatTemplateInput& input) {
  if (request.reasoning_effort) {
    input.enable_thinking = *request.reasoning_effort != "none";
    json::Writer(input.variables["reasoning_effort"]).string(*request.reasoning_effort);
  }
  if (!request.chat_template_kwargs) return {};
  const auto parsed = json::Document::parse(request.chat_template_kwargs->json);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr)
    return Error::invalidArgument("chat_template_kwargs is not a JSON object.");
  std::optional<std::string> name;
  for (const json::Node node : document->root()) {
    if (!name) {
      name = node.text();
      continue;
    }
    if (*name == "enable_thinking" && node.isBool()) input.enable_thinking = node.boolean();
    input.variables[*name] = node.raw();
    name.reset();
  }
  return {};
}

Result<ChatTemplateInput> templateInputOf(const ChatRequest& request, bool& names_tool) {
  ChatTemplateInput input;
  input.messages = arrayOf(request.messages);
  input.add_generation_prompt = request.add_generation_prompt;
  input.continue_final_message = request.continue_final_message;
  if (request.add_generation_prompt && request.continue_final_message)
    input.add_generation_prompt = false;
  TRY(setTools(request, input, names_tool));
  TRY(setFormat(request, input));
  TRY(setVariables(request, input));
  if (!input.json_schema.empty() && !input.tools.empty() && input.tool_choice != ToolChoice::kNone)
    return Error::invalidArgument("response_format and tools cannot be used together.");
  return input;
}

/// Refuses parameters that no local model supports.
Result<void> refuseUnsupported(const ChatRequest& request) {
  const std::pair<const char*, const std::optional<json::Text>*> all[] = {
      {"audio", &request.audio},
      {"functions", &request.functions},
      {"function_call", &request.function_call},
      {"prediction", &request.prediction},
      {"web_search_options", &request.web_search_options}};
  for (const auto& [name, value] : all) {
    if (*value)
      return Error::invalidArgument(std::string(name) + " is not supported by this model.");
  }
  return {};
}

}  // namespace

Result<ChatPlan> planChat(const Model& model,
                          const ChatTemplate& chat_template,
                          const ChatRequest& request,
                          std::int64_t context,
                          std::uint64_t fresh_seed) {
  TRY(refuseUnsupported(request));
  if (request.top_logprobs.value_or(0) > 0 && !request.logprobs.value_or(false))
    return Error::invalidArgument("top_logprobs requires logprobs=true.");
  ChatPlan plan;
  const ChatTemplateInput input = TRY(templateInputOf(request, plan.names_tool));
  ChatPrompt prompt = TRY(chat_template.render(input));
  plan.prompt = std::move(prompt);
  GenerationRequest& generation = plan.generation;
  TRY(applyOptions(request, fresh_seed, generation));
  generation.prompt =
      model.tokensOf(plan.prompt.text, true, request.add_special_tokens.value_or(false));
  for (const std::string& text : plan.prompt.stop_texts) generation.stop_texts.push_back(text);
  generation.grammar = plan.prompt.grammar;
  generation.visible_special = plan.prompt.visible_special;
  const std::int64_t room = TRY(maxTokensFor(
      generation.prompt.size(),
      request.max_completion_tokens ? request.max_completion_tokens : request.max_tokens, context));
  generation.max_tokens = room;
  plan.shows_logprobs = request.logprobs.value_or(false);
  if (plan.shows_logprobs)
    generation.top_logprobs = static_cast<int>(request.top_logprobs.value_or(0));
  plan.answers = request.n.value_or(1);
  return plan;
}

}  // namespace spindle::engine
