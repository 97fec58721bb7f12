#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace spindle::weights {

/// The largest rank of a LoRA pair, in every format of adapters.
inline constexpr std::uint64_t kLargestLoraRank = 4096;

/// What a LoRA adapter is, as its `adapter_config.json` says.
class AdapterConfig {
 public:
  /// Reads the file of a folder. @return kNotFound, kUnavailable; kInvalidArgument for what is
  /// missing, and for a way of adapting that is not supported
  static Result<AdapterConfig> read(const std::string& folder);

  /// Whether the adapter is meant for a module, such as `model.layers.3.self_attn.q_proj`.
  bool targets(const std::string& module) const;
  std::uint64_t rankOf(const std::string& module) const;
  /// By what the product of the two matrices is multiplied.
  double scaleOf(const std::string& module) const;

  /// The usual ones.
  std::uint64_t rank() const { return rank_; }
  double alpha() const { return alpha_; }
  /// Empty when it does not say.
  const std::string& baseModel() const { return base_model_; }

 private:
  /// Shared by copies of the configuration; immutable.
  using Pattern = std::shared_ptr<const re2::RE2>;
  /// Patterns of module names with what holds for them, the first that matches.
  using Patterns = std::vector<std::pair<Pattern, double>>;
  class Reader;

  static double valueFor(const Patterns& patterns, const std::string& module, double otherwise);

  std::uint64_t rank_ = 0;
  double alpha_ = 0;
  bool by_root_ = false;  ///< rsLoRA: divided by the root of the rank
  std::vector<std::string> target_names_;
  Pattern target_pattern_;  ///< when there are no names; null: all linear modules
  Patterns ranks_;
  Patterns alphas_;
  std::string base_model_;
};

}  // namespace spindle::weights
