#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/sampler.h"

struct llama_adapter_lora;
struct llama_model;
struct llama_vocab;

namespace spindle::engine {

/// Makes llama.cpp ready: once in a program, before any model. Its own words go to the log.
void startBackend();

/// A GGUF model in memory. Immutable, hence thread-safe.
class Model {
 public:
  /// `progress` is told shares of 1, and may stop the loading by returning false.
  /// @return kInvalidArgument for a file that llama.cpp does not take, in its words, with the name
  /// of the file and without its folder
  static Result<std::unique_ptr<Model>> load(const std::string& path,
                                             const std::function<bool(float)>& progress = {});
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Special tokens in the text are read as such when asked. `framed`: with the tokens that the
  /// model wants around every text.
  std::vector<Token> tokensOf(std::string_view text, bool special, bool framed = false) const;
  /// What the token adds to the text; special tokens add nothing unless asked to.
  std::string bytesOf(Token token, bool special) const;
  bool endsTurn(Token token) const;
  /// The tokens that end a turn.
  const std::vector<Token>& ends() const { return ends_; }
  bool knows(Token token) const {
    return token >= 0 && static_cast<std::size_t>(token) < vocabulary_size_;
  }
  std::size_t vocabularySize() const { return vocabulary_size_; }
  /// False for a model that only turns text into numbers.
  bool generates() const;
  /// How the numbers of a text's tokens become one row, as the file says; empty when it does not.
  std::optional<int> pooling() const;
  /// Bytes of all its weights.
  std::uint64_t bytes() const;
  /// Bytes that it takes to remember one token, numbers of `number_bytes` each.
  std::uint64_t bytesToRemember(std::size_t number_bytes) const;
  /// As long as the model was trained for.
  std::int64_t context() const;

  llama_model* handle() const { return handle_; }
  const llama_vocab* vocabulary() const { return vocabulary_; }
  /// The file it was loaded from.
  const std::string& path() const { return path_; }

 private:
  Model(llama_model* handle, std::string path);
  /// Of the file's description; empty when it has none of that name.
  std::string valueOf(const std::string& key) const;

  llama_model* handle_;
  const std::string path_;
  const llama_vocab* vocabulary_;
  std::size_t vocabulary_size_;
  std::vector<Token> ends_;
};

/// A LoRA adapter of a model, in memory. Dies before its model and after all contexts that use it.
class Adapter {
 public:
  /// Checks the file against the model's first: llama.cpp ends the process over some that do not
  /// fit. @return kInvalidArgument for a file that is no adapter of this model
  static Result<std::shared_ptr<Adapter>> load(const Model& model, const std::string& path);
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  llama_adapter_lora* handle() const { return handle_; }

 private:
  explicit Adapter(llama_adapter_lora* handle) : handle_(handle) {}

  llama_adapter_lora* handle_;
};

}  // namespace spindle::engine
