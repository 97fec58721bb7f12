#pragma once

#include <span>
#include <string_view>

namespace spindle::automation {

/// A named template for receivers that require a certain format.
struct PayloadPreset {
  std::string_view name;
  std::string_view description;
  std::string_view payload;
};

std::span<const PayloadPreset> payloadPresets();
/// Returns the preset of that name, or null.
const PayloadPreset* findPayloadPreset(std::string_view name);

/// Returns the template of automations without a payload.
std::string_view defaultPayload();

}  // namespace spindle::automation
