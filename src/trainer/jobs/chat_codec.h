#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::trainer {

/// The input of a chat template.
struct ChatText {
  std::string messages;        ///< JSON array, in the format of the OpenAI API
  std::string tools = {};      ///< a JSON array; empty: none
  std::string variables = {};  ///< further template variables: a JSON object; empty: none
  bool add_generation_prompt = false;
};

/// The tokenizer and chat template of a model. Immutable, hence thread-safe.
class ChatCodec {
 public:
  virtual ~ChatCodec() = default;

  /// Renders a conversation. @return kInvalidArgument if the template rejects it
  virtual Result<std::string> render(const ChatText& chat) const = 0;
  /// Returns the tokens of a text. Parses special tokens in it.
  virtual std::vector<std::int64_t> tokensOf(std::string_view text) const = 0;
  /// Returns the single token for a text; empty if there is none.
  std::optional<std::int64_t> tokenOf(std::string_view text) const;
  virtual std::string textOf(const std::vector<std::int64_t>& tokens) const = 0;
  virtual std::int64_t endToken() const = 0;
  virtual std::int64_t vocabularySize() const = 0;
  virtual const std::string& chatTemplate() const = 0;
};

/// Opens the tokenizer and template of a GGUF file; does not read the weights.
/// @return kInvalidArgument, with llama.cpp's message, if the file has no vocabulary or no usable
///     template
Result<std::unique_ptr<ChatCodec>> openChatCodec(const std::string& gguf_file);

}  // namespace spindle::trainer
