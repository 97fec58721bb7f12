#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/artifacts/artifact.h"

namespace spindle::registry {

// Name rules as patterns, for validation and for the documented schemas.
inline constexpr std::string_view kCollectionNamePattern = "^[^/]+$";
inline constexpr std::string_view kTypePattern = R"(^[-\w]+([ ]*[-.\w]+)*$)";
inline constexpr std::string_view kAliasPattern = "^[^/:]+$";
inline constexpr std::string_view kTagPattern = R"(^[-\w]+( +[-\w]+)*$)";
inline constexpr std::size_t kMaxName = 128;
inline constexpr std::size_t kMaxTags = 20;  ///< per request
inline constexpr std::string_view kLatest = "latest";
/// The entity that owns all registries.
inline constexpr std::string_view kOrganizationEntity = "organization";
/// With the prefix that registries have in paths, this is the maximum length of a project name.
inline constexpr std::size_t kMaxRegistryName = 115;

/// Returns true for collections that are reserved for the platform: types `svc-…` and `job`, tables
/// of runs, code of runs.
bool isReservedCollection(std::string_view type, std::string_view name);

/// Returns true for types whose versions have no time to live, because they exist as long as the
/// resource that they belong to.
bool hasNoTtl(std::string_view type);

/// Returns true for `v0`, `v1`, …: these are version numbers, never aliases.
bool isVersionNumber(std::string_view text);

/// Returns the Place of a registry.
Place registryPlace(std::string_view id, std::string_view name);
/// Returns the name of the registry if the path contains one instead of a project
/// (`svc-registry-<name>`, in either wire profile).
std::optional<std::string_view> registryIn(std::string_view entity, std::string_view project);

/// Parses `v3`, `art_12`, or an alias.
VersionName versionNameOf(std::string_view text);

/// Returns `art_12`.
std::string artifactIdText(std::int64_t id);
/// Parses `art_12`. Returns nothing for any other text.
std::optional<std::int64_t> artifactIdOf(std::string_view text);

/// Returns the reason why a text is not a valid path of an entry, or an empty text. A valid path is
/// relative, has forward slashes, no `.` or `..`, no empty part, and no drive letter.
std::string_view entryPathProblem(std::string_view path);

/// Returns true for the base64 of 16 bytes.
bool isMd5Text(std::string_view text);

}  // namespace spindle::registry
