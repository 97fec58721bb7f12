#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/artifact.h"

namespace spindle::registry {

// The rules as patterns, for schemas that document them.
inline constexpr std::string_view kCollectionNamePattern = "^[^/]+$";
inline constexpr std::string_view kTypePattern = R"(^[-\w]+([ ]*[-.\w]+)*$)";
inline constexpr std::string_view kAliasPattern = "^[^/:]+$";
inline constexpr std::string_view kTagPattern = R"(^[-\w]+( +[-\w]+)*$)";
inline constexpr std::size_t kMaxName = 128;
inline constexpr std::size_t kMaxTags = 20;  ///< of one request
inline constexpr std::string_view kLatest = "latest";
/// The entity that owns all registries.
inline constexpr std::string_view kOrganizationEntity = "organization";
/// Together with the prefix under which a registry stands in paths it is as long as the name of a
/// project.
inline constexpr std::size_t kMaxRegistryName = 115;

/// True for what the platform itself keeps in collections: types `svc-…` and `job`, tables of runs,
/// code of runs.
bool isReservedCollection(std::string_view type, std::string_view name);

/// True for a type whose versions live as long as what they belong to.
bool hasNoTtl(std::string_view type);

/// True for `v0`, `v1`, …: these are numbers, never aliases.
bool isVersionNumber(std::string_view text);

/// A registry as the place where something is done.
Place registryPlace(std::string_view id, std::string_view name);
/// The registry that stands in the place of a project in a path, `svc-registry-<name>` in whichever
/// spelling; nothing for a project.
std::optional<std::string_view> registryIn(std::string_view entity, std::string_view project);

/// `v3`, `art_12`, or else an alias.
VersionName versionNameOf(std::string_view text);

/// `art_12`.
std::string artifactIdText(std::int64_t id);
/// @return nothing for any other text.
std::optional<std::int64_t> artifactIdOf(std::string_view text);

/// Why a text cannot be the path of an entry, or empty when it can: relative, forward slashes, no
/// `.` or `..`, no empty part, no drive letter.
std::string_view entryPathProblem(std::string_view path);

/// True for base64 of 16 bytes.
bool isMd5Text(std::string_view text);

}  // namespace spindle::registry
