#include "engine/runtime/grammar.h"

#include <cmath>
#include <limits>

#include <llama.h>

namespace spindle::engine {

Result<std::unique_ptr<Grammar>> Grammar::of(const Model& model, const GrammarText& text) {
  std::vector<const char*> patterns;
  for (const std::string& pattern : text.trigger_patterns) patterns.push_back(pattern.c_str());
  const bool lazy = !patterns.empty() || !text.trigger_tokens.empty();
  llama_sampler* handle =
      lazy ? llama_sampler_init_grammar_lazy_patterns(
                 model.vocabulary(), text.text.c_str(), "root", patterns.data(), patterns.size(),
                 text.trigger_tokens.data(), text.trigger_tokens.size())
           : llama_sampler_init_grammar(model.vocabulary(), text.text.c_str(), "root");
  if (handle == nullptr) return Error::invalidArgument("The grammar is invalid.");
  std::unique_ptr<Grammar> grammar(new Grammar(handle));
  for (const Token token : model.tokensOf(text.prefix, true)) {
    if (!lazy && !grammar->allows(token))
      return Error::invalidArgument("The grammar does not match the prompt.");
    grammar->accept(token);
  }
  return grammar;
}

Grammar::~Grammar() { llama_sampler_free(handle_); }

bool Grammar::allows(Token token) const {
  llama_token_data one{token, 1.0F, 0.0F};
  llama_token_data_array array{&one, 1, -1, false};
  llama_sampler_apply(handle_, &array);
  return !std::isinf(one.logit);
}

void Grammar::mask(std::vector<float>& logits) const {
  std::vector<llama_token_data> all;
  all.reserve(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i)
    all.push_back({static_cast<Token>(i), logits[i], 0.0F});
  llama_token_data_array array{all.data(), all.size(), -1, false};
  llama_sampler_apply(handle_, &array);
  for (const llama_token_data& one : all) logits[static_cast<std::size_t>(one.id)] = one.logit;
}

void Grammar::accept(Token token) { llama_sampler_accept(handle_, token); }

}  // namespace spindle::engine
