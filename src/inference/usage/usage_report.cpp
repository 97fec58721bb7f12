#include "inference/usage/usage_report.h"

#include "inference/catalogue/enum_texts.h"

namespace spindle::inference {
namespace {

constexpr EnumTexts<UsageKey, 5> kKeys = {{
    {UsageKey::kDay, "day"},
    {UsageKey::kModel, "model"},
    {UsageKey::kProject, "project"},
    {UsageKey::kUser, "user"},
    {UsageKey::kApiKey, "key"},
}};

}  // namespace

std::string_view textOf(UsageKey key) { return lookUp(kKeys, key, ""); }

std::optional<UsageKey> usageKeyOf(std::string_view text) { return keyOf(kKeys, text); }

}  // namespace spindle::inference
