#pragma once

#include <string>
#include <vector>

#include "engine/api/generation_options.h"
#include "engine/api/text_input.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::engine {

schema::Codec<StreamOptions> streamOptionsCodec();
schema::Codec<GenerationOptions::Stop> stopCodec();
/// `most`: maximum number of texts.
schema::Codec<TextInput> textInputCodec(std::size_t most);

/// Adds the parameters of GenerationOptions to a request schema. R must be derived from it.
template <class R>
void addGenerationOptions(schema::Record<R>& record) {
  using schema::boolean;
  using schema::integer;
  using schema::list;
  using schema::map;
  using schema::nullable;
  using schema::number;
  using schema::string;
  record.required("model", &R::model, string({.min_length = 1}), "Name of the model.")
      .optional("stream", &R::stream, boolean(), "Stream the response as server-sent events.")
      .optional("stream_options", &R::stream_options, nullable(streamOptionsCodec()),
                "Options of `stream`.")
      .optional("temperature", &R::temperature, nullable(number({.ge = 0, .le = 2})),
                "Sampling temperature; 0 always selects the most likely token.")
      .optional("top_p", &R::top_p, nullable(number({.gt = 0, .le = 1})),
                "Nucleus sampling: only the most likely tokens with this total probability.")
      .optional("top_k", &R::top_k, nullable(integer({.ge = -1})),
                "Only this number of most likely tokens; 0: all.")
      .optional("min_p", &R::min_p, nullable(number({.ge = 0, .le = 1})),
                "Only tokens with at least this fraction of the highest probability.")
      .optional("repetition_penalty", &R::repetition_penalty, nullable(number({.gt = 0, .le = 10})),
                "Values above 1 make tokens of the prompt and completion less likely.")
      .optional("frequency_penalty", &R::frequency_penalty, nullable(number({.ge = -2, .le = 2})),
                "Subtracted from the logit of a token for each earlier occurrence.")
      .optional("presence_penalty", &R::presence_penalty, nullable(number({.ge = -2, .le = 2})),
                "Subtracted from the logit of a token that occurred before.")
      .optional("logit_bias", &R::logit_bias, nullable(map(number({.ge = -100, .le = 100}))),
                "Added to the logits of tokens, by token id.")
      .optional("seed", &R::seed, nullable(integer()),
                "Random seed; the same seed gives the same text.")
      .optional("min_tokens", &R::min_tokens, nullable(integer({.ge = 0})),
                "Minimum completion tokens.")
      .optional("stop", &R::stop, nullable(stopCodec()), "Texts that end the answer.")
      .optional("stop_token_ids", &R::stop_token_ids, list(integer({.ge = 0})),
                "Token ids that end the answer.")
      .optional("ignore_eos", &R::ignore_eos, boolean(), "Continue after the end of the turn.")
      .optional("include_stop_str_in_output", &R::include_stop_str_in_output, boolean(),
                "Include the stop text in the answer.")
      .optional("skip_special_tokens", &R::skip_special_tokens, boolean(),
                "Omit special tokens from the text.")
      .optional("n", &R::n, nullable(integer({.ge = 1, .le = 128})), "Answers.")
      .optional("prompt_logprobs", &R::prompt_logprobs, nullable(integer({.ge = 0, .le = 20})),
                "Return the log probability of each prompt token and of this number of most likely "
                "tokens.")
      .optional("cache_salt", &R::cache_salt, nullable(string()),
                "Share the prefix cache only with requests with the same salt.")
      .optional("add_special_tokens", &R::add_special_tokens, nullable(boolean()),
                "Add the model's special tokens to the prompt.")
      .optional("priority", &R::priority, nullable(integer()),
                "Requests with lower values start first.")
      .optional("request_id", &R::request_id,
                nullable(string({.min_length = 1, .max_length = 128})),
                "Suffix of the completion id.")
      .optional("return_token_ids", &R::return_token_ids, boolean(), "Return token ids.")
      .optional("return_tokens_as_token_ids", &R::return_tokens_as_token_ids, boolean(),
                "Identify tokens in log probabilities as `token_id:ID`.");
}

}  // namespace spindle::engine
