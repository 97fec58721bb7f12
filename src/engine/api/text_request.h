#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/api/generation_options.h"
#include "engine/api/text_input.h"
#include "schema/type.h"

namespace spindle::engine {

/// The body of a text completion request.
struct TextRequest : GenerationOptions {
  TextInput prompt;
  std::optional<std::int64_t> logprobs;
  std::optional<std::int64_t> best_of;
  std::optional<std::string> suffix;
  bool echo = false;
};

schema::Codec<TextRequest> textRequestCodec();

}  // namespace spindle::engine
