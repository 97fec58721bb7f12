#include "automation/rules/scope_type.h"

#include <array>
#include <cstddef>

#include "automation/payloads/named_value.h"

namespace spindle::automation {
namespace {

/// In the order of the enumeration.
constexpr std::array<std::string_view, kScopeTypes.size()> kScopeTypeNames = {
    "organization", "team", "project", "registry", "collection"};

}  // namespace

std::string_view textOf(ScopeType type) { return kScopeTypeNames[static_cast<std::size_t>(type)]; }

std::optional<ScopeType> scopeTypeOf(std::string_view text) {
  return valueNamed<ScopeType>(kScopeTypeNames, text);
}

}  // namespace spindle::automation
