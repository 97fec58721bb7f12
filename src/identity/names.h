#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::identity {

// The rules as patterns, for schemas that document them. The functions below hold them.
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
/// 1 to kMaxLabel characters without control characters.
bool isLabel(std::string_view text);

/// A project as clients name it: `entity/project`.
struct ProjectName {
  std::string entity;
  std::string project;

  std::string text() const { return entity + "/" + project; }
};

/// @return kInvalidArgument unless the text has exactly one slash, inside.
Result<ProjectName> splitProjectName(std::string_view text);

/// The form under which names compare without regard to case: ASCII letters in lower case.
std::string foldCase(std::string_view text);

}  // namespace spindle::identity
