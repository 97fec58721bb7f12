#include "inference/usage/usage_report.h"

#include <array>
#include <utility>

namespace spindle::inference {
namespace {

constexpr std::array<std::pair<UsageKey, std::string_view>, 5> kKeys = {{
    {UsageKey::kDay, "day"},
    {UsageKey::kModel, "model"},
    {UsageKey::kProject, "project"},
    {UsageKey::kUser, "user"},
    {UsageKey::kApiKey, "key"},
}};

}  // namespace

std::string_view textOf(UsageKey key) {
  for (const auto& [value, text] : kKeys) {
    if (value == key) return text;
  }
  return {};
}

std::optional<UsageKey> usageKeyOf(std::string_view text) {
  for (const auto& [value, name] : kKeys) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace spindle::inference
