#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace spindle::automation {

/// The part of the organization that an automation watches. Each type includes everything inside,
/// also what is added later.
enum class ScopeType { kOrganization, kTeam, kProject, kRegistry, kCollection };
inline constexpr std::array kScopeTypes = {ScopeType::kOrganization, ScopeType::kTeam,
                                           ScopeType::kProject, ScopeType::kRegistry,
                                           ScopeType::kCollection};

std::string_view textOf(ScopeType type);
/// Parses a scope type, ignoring case.
std::optional<ScopeType> scopeTypeOf(std::string_view text);

}  // namespace spindle::automation
