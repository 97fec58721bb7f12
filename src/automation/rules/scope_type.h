#pragma once

#include <optional>
#include <string_view>

namespace spindle::automation {

/// The part of the organization that an automation watches. Each type includes everything inside,
/// also what is added later.
enum class ScopeType { kOrganization, kTeam, kProject, kRegistry, kCollection };

std::string_view textOf(ScopeType type);
/// Parses a scope type, ignoring case.
std::optional<ScopeType> scopeTypeOf(std::string_view text);

}  // namespace spindle::automation
