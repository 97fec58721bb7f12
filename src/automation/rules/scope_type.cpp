#include "automation/rules/scope_type.h"

#include <array>

#include "automation/payloads/named_value.h"

namespace spindle::automation {
namespace {

constexpr std::array kScopeTypeNames = {
    NamedValue<ScopeType>{"organization", ScopeType::kOrganization},
    NamedValue<ScopeType>{"team", ScopeType::kTeam},
    NamedValue<ScopeType>{"project", ScopeType::kProject},
    NamedValue<ScopeType>{"registry", ScopeType::kRegistry},
    NamedValue<ScopeType>{"collection", ScopeType::kCollection},
};

}  // namespace

std::string_view textOf(ScopeType type) { return nameIn<ScopeType>(kScopeTypeNames, type); }

std::optional<ScopeType> scopeTypeOf(std::string_view text) {
  return valueIn<ScopeType>(kScopeTypeNames, text);
}

}  // namespace spindle::automation
