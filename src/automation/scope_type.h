#pragma once

#include <optional>
#include <string_view>

namespace spindle::automation {

/// How much an automation watches over. Each covers everything inside, also what is added later.
enum class ScopeType { kOrganization, kTeam, kProject, kRegistry, kCollection };

std::string_view textOf(ScopeType type);
/// Regardless of case.
std::optional<ScopeType> scopeTypeOf(std::string_view text);

}  // namespace spindle::automation
