#include "engine/api/generation_options_codec.h"

namespace spindle::engine {

schema::Codec<StreamOptions> streamOptionsCodec() {
  using Options = StreamOptions;
  return schema::Record<Options>("StreamOptions")
      .optional("include_usage", &Options::include_usage, schema::boolean(),
                "Send the usage in the last chunk.")
      .optional("continuous_usage_stats", &Options::continuous_usage_stats, schema::boolean(),
                "Send the usage in every chunk.")
      .codec();
}

schema::Codec<GenerationOptions::Stop> stopCodec() {
  using Texts = std::vector<std::string>;
  return schema::anyOf(
      schema::Alternative<std::string>{"text", schema::string()},
      schema::Alternative<Texts>{"texts", schema::list(schema::string(), {.max_items = 4})});
}

schema::Codec<TextInput> textInputCodec(std::size_t most) {
  const schema::SizeRules rules{.min_items = 1, .max_items = most};
  const auto ids =
      schema::list(schema::integer({.ge = 0, .le = INT32_MAX}), schema::SizeRules{.min_items = 1});
  return schema::anyOf(
      schema::Alternative<std::string>{"text", schema::string()},
      schema::Alternative<std::vector<std::string>>{"texts", schema::list(schema::string(), rules)},
      schema::Alternative<TokenIds>{"tokens", ids},
      schema::Alternative<std::vector<TokenIds>>{"token_lists", schema::list(ids, rules)});
}

}  // namespace spindle::engine
