#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::inference {

inline constexpr std::string_view kPeftConfigFile = "adapter_config.json";
inline constexpr std::string_view kPeftWeightsFile = "adapter_model.safetensors";

/// The prefix of PeftAdapter::name.
inline constexpr std::string_view kPeftNamePrefix = "spindle-";

/// A LoRA adapter as PEFT files, for upstreams.
struct PeftAdapter {
  std::string name;      ///< unique per content: the prefix and a digest in hexadecimal
  std::string artifact;  ///< see AdapterFile::artifact
  /// Writes both files into an existing, empty folder and checks them. Thread-safe; blocks on
  /// database and disk. @return kInvalidArgument if the files are no adapter; kStorageFull;
  /// kUnavailable.
  std::function<Result<void>(const std::string& folder)> write;
};

}  // namespace spindle::inference
