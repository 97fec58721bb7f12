#pragma once

#include <string>
#include <vector>

#include "engine/generation_options.h"
#include "engine/text_input.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::engine {

schema::Codec<GenerationOptions::StreamOptions> streamOptionsCodec();
schema::Codec<GenerationOptions::Stop> stopCodec();
/// At most so many texts.
schema::Codec<TextInput> textInputCodec(std::size_t most);

/// The members that completions of every kind have. R is made of GenerationOptions.
template <class R>
void addGenerationOptions(schema::Record<R>& record) {
  using schema::boolean;
  using schema::integer;
  using schema::list;
  using schema::map;
  using schema::nullable;
  using schema::number;
  using schema::string;
  record.required("model", &R::model, string({.min_length = 1}), "Which model.")
      .optional("stream", &R::stream, boolean(), "Answer piece by piece.")
      .optional("stream_options", &R::stream_options, nullable(streamOptionsCodec()),
                "With `stream`.")
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
      .optional("seed", &R::seed, nullable(integer()), "The same seed gives the same text.")
      .optional("min_tokens", &R::min_tokens, nullable(integer({.ge = 0})), "At least so many.")
      .optional("stop", &R::stop, nullable(stopCodec()), "Texts that end the answer.")
      .optional("stop_token_ids", &R::stop_token_ids, list(integer({.ge = 0})),
                "Tokens that end the answer.")
      .optional("ignore_eos", &R::ignore_eos, boolean(), "Go on behind the end of the turn.")
      .optional("include_stop_str_in_output", &R::include_stop_str_in_output, boolean(),
                "Show the text that ended the answer.")
      .optional("skip_special_tokens", &R::skip_special_tokens, boolean(),
                "Leave special tokens out of the text.")
      .optional("n", &R::n, nullable(integer({.ge = 1, .le = 128})), "Answers.")
      .optional("prompt_logprobs", &R::prompt_logprobs, nullable(integer({.ge = 0, .le = 20})),
                "Say how likely each token of the prompt was, and name so many others.")
      .optional("cache_salt", &R::cache_salt, nullable(string()),
                "Share prompts only with requests of the same.")
      .optional("add_special_tokens", &R::add_special_tokens, nullable(boolean()),
                "Begin the prompt with the model's own first token.")
      .optional("priority", &R::priority, nullable(integer()), "Those with less go first.")
      .optional("request_id", &R::request_id,
                nullable(string({.min_length = 1, .max_length = 128})),
                "The end of the answer's id.")
      .optional("return_token_ids", &R::return_token_ids, boolean(), "Name the tokens by id.")
      .optional("return_tokens_as_token_ids", &R::return_tokens_as_token_ids, boolean(),
                "Name them so in the log probabilities.");
}

}  // namespace spindle::engine
