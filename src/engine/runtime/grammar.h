#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "engine/runtime/model.h"

struct llama_sampler;

namespace spindle::engine {

/// A grammar in llama.cpp's notation (GBNF), with a rule `root`. With triggers, it applies from the
/// first trigger on: from the token, or from the first group of the pattern.
struct GrammarText {
  std::string text;
  std::string prefix = {};  ///< beginning of the grammar's text that the prompt contains
  std::vector<std::string> trigger_patterns = {};
  std::vector<Token> trigger_tokens = {};
};

/// Restricts a text to a grammar, token by token. Not thread-safe; must be destroyed before its
/// model.
class Grammar {
 public:
  /// @return kInvalidArgument
  static Result<std::unique_ptr<Grammar>> of(const Model& model, const GrammarText& text);
  ~Grammar();
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  bool allows(Token token) const;
  /// Sets the logits of all tokens that are not allowed to minus infinity.
  void mask(std::vector<float>& logits) const;
  /// Advances the grammar by a token, which must be allowed.
  void accept(Token token);

 private:
  explicit Grammar(llama_sampler* handle) : handle_(handle) {}

  llama_sampler* handle_;
};

}  // namespace spindle::engine
