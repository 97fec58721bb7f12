#pragma once

#include <span>
#include <string_view>

namespace spindle::automation {

/// A template under a name, for receivers that want a certain shape.
struct PayloadPreset {
  std::string_view name;
  std::string_view description;
  std::string_view payload;
};

std::span<const PayloadPreset> payloadPresets();
/// Null when there is no preset of that name.
const PayloadPreset* findPayloadPreset(std::string_view name);

/// What an automation without a template sends.
std::string_view defaultPayload();

}  // namespace spindle::automation
