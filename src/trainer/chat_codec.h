#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::trainer {

/// A conversation to be written down for a model.
struct ChatText {
  std::string messages;        ///< a JSON array, in the terms of the OpenAI API
  std::string tools = {};      ///< a JSON array; empty: none
  std::string variables = {};  ///< further ones of the template: a JSON object; empty: none
  bool add_generation_prompt = false;
};

/// A model's vocabulary and chat template. Immutable, hence thread-safe.
class ChatCodec {
 public:
  virtual ~ChatCodec() = default;

  /// @return kInvalidArgument for what the template refuses
  virtual Result<std::string> render(const ChatText& chat) const = 0;
  /// Special tokens in the text are read as such.
  virtual std::vector<std::int64_t> tokensOf(std::string_view text) const = 0;
  /// The token whose text it is, alone.
  virtual std::optional<std::int64_t> tokenOf(std::string_view text) const = 0;
  virtual std::string textOf(const std::vector<std::int64_t>& tokens) const = 0;
  virtual std::int64_t endToken() const = 0;
  virtual std::int64_t vocabularySize() const = 0;
  virtual const std::string& chatTemplate() const = 0;
};

/// That of a GGUF file, of which the weights are not read.
/// @return kInvalidArgument for a file without vocabulary or usable template, in the library's
/// words
Result<std::unique_ptr<ChatCodec>> openChatCodec(const std::string& gguf_file);

}  // namespace spindle::trainer
