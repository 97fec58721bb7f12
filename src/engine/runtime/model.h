#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "engine/runtime/sampler.h"

struct llama_adapter_lora;
struct llama_model;
struct llama_vocab;

namespace spindle::engine {

/// Initialises llama.cpp once per process, before any model is loaded. Its errors go to the log.
void startBackend();

/// A GGUF model in memory. Immutable, hence thread-safe.
class Model {
 public:
  /// Loads a GGUF file. Calls `progress` with the loaded share, from 0 to 1; returning false stops
  /// the loading. @return kInvalidArgument for a file that llama.cpp refuses, with its message and
  /// the name of the file without its folder
  static Result<std::unique_ptr<Model>> load(const std::string& path,
                                             const std::function<bool(float)>& progress = {});
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Tokenizes a text. `special`: parse special tokens in the text. `add_special`: add the model's
  /// special tokens at the beginning and end.
  std::vector<Token> tokensOf(std::string_view text, bool special, bool add_special = false) const;
  /// Returns the text of a token as bytes. Special tokens are empty unless `special`.
  std::string bytesOf(Token token, bool special) const;
  bool endsTurn(Token token) const;
  /// Returns the tokens that end a turn.
  const std::vector<Token>& ends() const { return ends_; }
  bool knows(Token token) const {
    return token >= 0 && static_cast<std::size_t>(token) < vocabulary_size_;
  }
  std::size_t vocabularySize() const { return vocabulary_size_; }
  /// Returns false for an embedding model.
  bool generates() const;
  /// Returns the pooling type of the file; empty when it has none.
  std::optional<int> pooling() const;
  /// Returns the size of the weights in bytes.
  std::uint64_t bytes() const;
  /// Returns the size of one token in the KV cache, with `number_bytes` per value.
  std::uint64_t kvBytesPerToken(std::size_t number_bytes) const;
  /// Returns the context length that the model was trained for.
  std::int64_t context() const;

  llama_model* handle() const { return handle_; }
  const llama_vocab* vocabulary() const { return vocabulary_; }
  /// Returns the path of the model file.
  const std::string& path() const { return path_; }

 private:
  Model(llama_model* handle, std::string path);
  /// Returns a metadata value of the file; empty when the key does not exist.
  std::string valueOf(const std::string& key) const;

  llama_model* handle_;
  const std::string path_;
  const llama_vocab* vocabulary_;
  std::size_t vocabulary_size_;
  std::vector<Token> ends_;
};

/// A loaded LoRA adapter. Must be destroyed before its model and after all contexts that use it.
class Adapter {
 public:
  /// Loads an adapter file. First checks that it matches the model: llama.cpp aborts the process
  /// for some invalid files. @return kInvalidArgument for a file that is not an adapter of this
  /// model
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
