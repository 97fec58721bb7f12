#include "engine/api/chat_request.h"

#include "engine/api/generation_options_codec.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

using schema::anyOf, schema::boolean, schema::integer, schema::jsonObject, schema::list,
    schema::literal, schema::nullable, schema::Record, schema::string;
using Format = ChatRequest::ResponseFormat;
using Schema = ChatRequest::JsonSchema;
using Named = ChatRequest::NamedTool;
using Function = ChatRequest::NamedFunction;

schema::Codec<Format> formatCodec() {
  const auto inner =
      Record<Schema>("JsonSchemaFormat")
          .required("name", &Schema::name, string({.min_length = 1}), "Name of the schema.")
          .optional("schema", &Schema::schema, nullable(jsonObject()), "The schema.")
          .optional("strict", &Schema::strict, nullable(boolean()),
                    "Objects contain all of their properties and no others.")
          .codec();
  return Record<Format>("ResponseFormat")
      .required("type", &Format::type, literal({"text", "json_object", "json_schema"}),
                "Format of the answer.")
      .optional("json_schema", &Format::json_schema, nullable(inner),
                "Schema of the type `json_schema`.")
      .codec();
}

schema::Codec<ChatRequest::ToolChoice> choiceCodec() {
  const auto function = Record<Function>("NamedFunction")
                            .required("name", &Function::name, string(), "Name of the function.")
                            .codec();
  const auto named = Record<Named>("NamedTool")
                         .required("function", &Named::function, function, "The function.")
                         .codec();
  return anyOf(schema::Alternative<std::string>{"word", literal({"none", "auto", "required"})},
               schema::Alternative<Named>{"tool", named});
}

void addShape(Record<ChatRequest>& record) {
  record
      .optional("logprobs", &ChatRequest::logprobs, nullable(boolean()),
                "Return the log probability of each token.")
      .optional("top_logprobs", &ChatRequest::top_logprobs, nullable(integer({.ge = 0, .le = 20})),
                "Number of most likely tokens to return with each token.")
      .optional("response_format", &ChatRequest::response_format, nullable(formatCodec()),
                "Format of the answer.")
      .optional("tools", &ChatRequest::tools, nullable(list(jsonObject(), {.max_items = 128})),
                "Functions that the model may call.")
      .optional("tool_choice", &ChatRequest::tool_choice, nullable(choiceCodec()),
                "Whether the model may, must or must not call a function.")
      .optional("parallel_tool_calls", &ChatRequest::parallel_tool_calls, nullable(boolean()),
                "Allow several tool calls in one answer.")
      .optional("reasoning_effort", &ChatRequest::reasoning_effort, nullable(string()),
                "Reasoning effort, if the chat template uses it; `none` disables reasoning.")
      .optional("chat_template_kwargs", &ChatRequest::chat_template_kwargs, nullable(jsonObject()),
                "Variables of the chat template, such as `enable_thinking`.")
      .optional("include_reasoning", &ChatRequest::include_reasoning, nullable(boolean()),
                "Return the reasoning of the model.")
      .optional("add_generation_prompt", &ChatRequest::add_generation_prompt, boolean(),
                "Add the beginning of the assistant's message to the prompt.")
      .optional("continue_final_message", &ChatRequest::continue_final_message, boolean(),
                "Continue the last message.");
}

void addUnsupported(Record<ChatRequest>& record) {
  const auto anything = nullable(schema::anyJson());
  record.optional("audio", &ChatRequest::audio, anything, "Not supported.")
      .optional("functions", &ChatRequest::functions, anything, "Not supported: use `tools`.")
      .optional("function_call", &ChatRequest::function_call, anything,
                "Not supported: use `tool_choice`.")
      .optional("prediction", &ChatRequest::prediction, anything, "Not supported.")
      .optional("web_search_options", &ChatRequest::web_search_options, anything, "Not supported.");
}

}  // namespace

schema::Codec<ChatRequest> chatRequestCodec() {
  Record<ChatRequest> record("ChatCompletionRequest");
  addGenerationOptions(record);
  record
      .required("messages", &ChatRequest::messages, list(jsonObject(), {.min_items = 1}),
                "The conversation.")
      .optional("max_completion_tokens", &ChatRequest::max_completion_tokens,
                nullable(integer({.ge = 1})),
                "Maximum completion tokens; as many as fit into the context if omitted.")
      .optional("max_tokens", &ChatRequest::max_tokens, nullable(integer({.ge = 1})),
                "Older name of `max_completion_tokens`.");
  addShape(record);
  addUnsupported(record);
  return record.codec();
}

}  // namespace spindle::engine
