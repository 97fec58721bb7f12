#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/model.h"

struct llama_sampler;

namespace spindle::engine {

/// A grammar in llama.cpp's notation, with a rule `root`. With triggers it holds from the first of
/// them on: from the token, or from the pattern's first group.
struct GrammarText {
  std::string text;
  std::string begun = {};  ///< what the prompt holds of it already
  std::vector<std::string> trigger_patterns = {};
  std::vector<Token> trigger_tokens = {};
};

/// What a text must look like, followed token by token. For one thread; dies before its model.
class Grammar {
 public:
  /// @return kInvalidArgument
  static Result<std::unique_ptr<Grammar>> of(const Model& model, const GrammarText& text);
  ~Grammar();
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  bool allows(Token token) const;
  /// Sets the logits of all others to minus infinity.
  void mask(std::vector<float>& logits) const;
  /// The token must be allowed.
  void accept(Token token);

 private:
  explicit Grammar(llama_sampler* handle) : handle_(handle) {}

  llama_sampler* handle_;
};

}  // namespace spindle::engine
