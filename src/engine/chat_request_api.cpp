#include "engine/chat_request_api.h"

#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

using schema::anyOf;
using schema::boolean;
using schema::integer;
using schema::jsonObject;
using schema::list;
using schema::literal;
using schema::map;
using schema::nullable;
using schema::number;
using schema::Record;
using schema::string;
using Options = ChatRequest::StreamOptions;
using Format = ChatRequest::ResponseFormat;
using Schema = ChatRequest::JsonSchema;
using Named = ChatRequest::NamedTool;
using Function = ChatRequest::NamedFunction;
using R = ChatRequest;

schema::Codec<Options> optionsCodec() {
  return Record<Options>("StreamOptions")
      .optional("include_usage", &Options::include_usage, boolean(),
                "Say at the end what was used.")
      .optional("continuous_usage_stats", &Options::continuous_usage_stats, boolean(),
                "Say it with every piece.")
      .codec();
}

schema::Codec<Format> formatCodec() {
  const auto inner = Record<Schema>("JsonSchemaFormat")
                         .required("name", &Schema::name, string({.min_length = 1}), "A name.")
                         .optional("schema", &Schema::schema, nullable(jsonObject()), "The schema.")
                         .codec();
  return Record<Format>("ResponseFormat")
      .required("type", &Format::type, literal({"text", "json_object", "json_schema"}),
                "What the answer must be.")
      .optional("json_schema", &Format::json_schema, nullable(inner), "With `json_schema`.")
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

void addSampling(Record<R>& record) {
  record
      .optional("temperature", &R::temperature, nullable(number({.ge = 0, .le = 2})),
                "0: always the likeliest token.")
      .optional("top_p", &R::top_p, nullable(number({.gt = 0, .le = 1})),
                "Only the likeliest tokens that together have this share.")
      .optional("top_k", &R::top_k, nullable(integer({.ge = -1})), "Only so many tokens; 0: all.")
      .optional("min_p", &R::min_p, nullable(number({.ge = 0, .le = 1})),
                "Only tokens with at least this share of the likeliest one's.")
      .optional("repetition_penalty", &R::repetition_penalty, nullable(number({.gt = 0, .le = 10})),
                "Above 1: tokens that were there count less.")
      .optional("frequency_penalty", &R::frequency_penalty, nullable(number({.ge = -2, .le = 2})),
                "Taken off for every time that a token was generated.")
      .optional("presence_penalty", &R::presence_penalty, nullable(number({.ge = -2, .le = 2})),
                "Taken off once a token was generated.")
      .optional("logit_bias", &R::logit_bias, nullable(map(number({.ge = -100, .le = 100}))),
                "Added to tokens, by their ids.")
      .optional("seed", &R::seed, nullable(integer()), "The same seed gives the same text.");
}

void addEnds(Record<R>& record) {
  const auto stop = anyOf(
      schema::Alternative<std::string>{"text", string()},
      schema::Alternative<std::vector<std::string>>{"texts", list(string(), {.max_items = 4})});
  record
      .optional("max_completion_tokens", &R::max_completion_tokens, nullable(integer({.ge = 1})),
                "At most so many; as many as fit when left out.")
      .optional("max_tokens", &R::max_tokens, nullable(integer({.ge = 1})), "The older name.")
      .optional("min_tokens", &R::min_tokens, nullable(integer({.ge = 0})), "At least so many.")
      .optional("stop", &R::stop, nullable(stop), "Texts that end the answer.")
      .optional("stop_token_ids", &R::stop_token_ids, list(integer({.ge = 0})),
                "Tokens that end the answer.")
      .optional("ignore_eos", &R::ignore_eos, boolean(), "Go on behind the end of the turn.")
      .optional("include_stop_str_in_output", &R::include_stop_str_in_output, boolean(),
                "Show the text that ended the answer.")
      .optional("n", &R::n, nullable(integer({.ge = 1, .le = 128})), "Answers.");
}

void addShape(Record<R>& record) {
  record.optional("logprobs", &R::logprobs, nullable(boolean()), "Say how likely each token was.")
      .optional("top_logprobs", &R::top_logprobs, nullable(integer({.ge = 0, .le = 20})),
                "And name so many others.")
      .optional("response_format", &R::response_format, nullable(formatCodec()),
                "What the answer must be.")
      .optional("tools", &R::tools, nullable(list(jsonObject(), {.max_items = 128})),
                "Functions that the model may call.")
      .optional("tool_choice", &R::tool_choice, nullable(choiceCodec()),
                "Whether it may, must, or must not.")
      .optional("parallel_tool_calls", &R::parallel_tool_calls, nullable(boolean()),
                "Several calls at once.")
      .optional("chat_template_kwargs", &R::chat_template_kwargs, nullable(jsonObject()),
                "Variables of the chat template, such as `enable_thinking`.")
      .optional("include_reasoning", &R::include_reasoning, nullable(boolean()),
                "Show what the model thought.")
      .optional("cache_salt", &R::cache_salt, nullable(string({.min_length = 1})),
                "Share prompts only with requests of the same.")
      .optional("return_token_ids", &R::return_token_ids, boolean(), "Name the tokens by id.")
      .optional("return_tokens_as_token_ids", &R::return_tokens_as_token_ids, boolean(),
                "Name them so in the log probabilities.")
      .optional("add_generation_prompt", &R::add_generation_prompt, boolean(),
                "Begin the assistant's turn.")
      .optional("continue_final_message", &R::continue_final_message, boolean(),
                "Go on with the last message.");
}

}  // namespace

schema::Codec<ChatRequest> chatRequestCodec() {
  Record<R> record("ChatCompletionRequest");
  record.required("model", &R::model, string({.min_length = 1}), "Which model.")
      .required("messages", &R::messages, list(jsonObject(), {.min_items = 1}), "The conversation.")
      .optional("stream", &R::stream, boolean(), "Answer piece by piece.")
      .optional("stream_options", &R::stream_options, nullable(optionsCodec()), "With `stream`.");
  addSampling(record);
  addEnds(record);
  addShape(record);
  return record.codec();
}

}  // namespace spindle::engine
