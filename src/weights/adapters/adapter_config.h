#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"

namespace re2 {
class RE2;
}

namespace spindle::weights {

/// The largest supported rank of a LoRA matrix pair, for PEFT and GGUF adapters.
inline constexpr std::uint64_t kLargestLoraRank = 4096;

/// The configuration of a LoRA adapter, read from `adapter_config.json` of a PEFT folder.
class AdapterConfig {
 public:
  /// Reads `adapter_config.json` in `folder`.
  /// @return kNotFound; kUnavailable; kInvalidArgument if a required field is missing or the
  ///     adapter uses an unsupported PEFT option
  static Result<AdapterConfig> read(const std::string& folder);

  /// Returns true if the adapter targets the module, such as `model.layers.3.self_attn.q_proj`.
  bool targets(const std::string& module) const;
  std::uint64_t rankOf(const std::string& module) const;
  /// Returns the factor by which the product B·A is multiplied.
  double scaleOf(const std::string& module) const;

  /// Return the defaults, for modules without a matching rank_pattern or alpha_pattern.
  std::uint64_t rank() const { return rank_; }
  double alpha() const { return alpha_; }
  /// Returns `base_model_name_or_path`, or an empty string if it is absent.
  const std::string& baseModel() const { return base_model_; }

 private:
  /// Shared by copies of the configuration; immutable.
  using Pattern = std::shared_ptr<const re2::RE2>;
  /// Module name patterns with their values. The first pattern that matches applies.
  using Patterns = std::vector<std::pair<Pattern, double>>;
  class Reader;

  static double valueFor(const Patterns& patterns, const std::string& module, double otherwise);

  std::uint64_t rank_ = 0;
  double alpha_ = 0;
  bool by_root_ = false;  ///< rsLoRA: scale = alpha / sqrt(rank)
  std::vector<std::string> target_names_;
  Pattern target_pattern_;  ///< used when target_names_ is empty; null means all linear modules
  Patterns ranks_;
  Patterns alphas_;
  std::string base_model_;
};

/// Returns the text of an `adapter_config.json` with one rank and one alpha for all modules.
std::string adapterConfigText(const std::string& base_model,
                              std::uint64_t rank,
                              double alpha,
                              const std::vector<std::string>& target_modules);

}  // namespace spindle::weights
