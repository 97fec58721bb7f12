#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::identity {

// The name rules as regular expressions, for the schemas that document them. The functions below
// enforce them.
inline constexpr std::string_view kUsernamePattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$";
inline constexpr std::string_view kTeamNamePattern = "^[a-z0-9][a-z0-9_-]*$";
inline constexpr std::string_view kProjectNamePattern = "^[^/\\\\#?%:\\r\\n]+$";

inline constexpr std::size_t kMaxUsername = 64;
inline constexpr std::size_t kMaxTeamName = 64;
inline constexpr std::size_t kMaxEmail = 254;
inline constexpr std::size_t kMaxProjectName = 128;
inline constexpr std::size_t kMaxLabel = 128;  ///< descriptions of service accounts, names of keys

bool isUsername(std::string_view text);
bool isEmail(std::string_view text);
bool isTeamName(std::string_view text);
bool isProjectName(std::string_view text);
/// Returns true for 1 to kMaxLabel characters without control characters.
bool isLabel(std::string_view text);

/// The name of a project in requests: `entity/project`.
struct ProjectName {
  std::string entity;
  std::string project;

  std::string text() const { return entity + "/" + project; }
};

/// Parses `entity/project`.
/// @return kInvalidArgument unless the text has exactly one slash, with text on both sides.
Result<ProjectName> splitProjectName(std::string_view text);

/// Returns the text with ASCII letters in lower case, for comparisons that ignore case.
std::string foldCase(std::string_view text);

}  // namespace spindle::identity
