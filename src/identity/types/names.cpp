#include "identity/types/names.h"

#include <algorithm>

#include "base/core/ascii.h"
#include "base/core/utf8.h"

namespace spindle::identity {
namespace {

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

bool isUsername(std::string_view text) {
  return !text.empty() && text.size() <= kMaxUsername && isLetterOrDigit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

bool isEmail(std::string_view text) {
  const std::size_t at = text.find('@');
  return charactersIn(text) <= kMaxEmail && at != std::string_view::npos && at > 0 &&
         at + 1 < text.size() &&
         std::none_of(text.begin(), text.end(), [](char c) { return isControl(c) || c == ' '; });
}

bool isTeamName(std::string_view text) {
  const auto first = [](char c) { return (c >= 'a' && c <= 'z') || isDigit(c); };
  return !text.empty() && text.size() <= kMaxTeamName && first(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return first(c) || c == '_' || c == '-'; });
}

bool isProjectName(std::string_view text) {
  constexpr std::string_view kForbidden("/\\#?%:\r\n\0", 9);
  return !text.empty() && charactersIn(text) <= kMaxProjectName &&
         text.find_first_of(kForbidden) == std::string_view::npos;
}

bool isLabel(std::string_view text) {
  return !text.empty() && charactersIn(text) <= kMaxLabel &&
         std::none_of(text.begin(), text.end(), isControl);
}

Result<ProjectName> splitProjectName(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool good = slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
                    text.find('/', slash + 1) == std::string_view::npos;
  if (!good)
    return Error::invalidArgument("Invalid project_id: " + std::string(text) +
                                  ". Expected the form <entity>/<project>");
  return ProjectName{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::string foldCase(std::string_view text) { return lowerCase(text); }

}  // namespace spindle::identity
