#include "identity/types/names.h"

#include <algorithm>

namespace spindle::identity {
namespace {

bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Counts characters, not bytes: UTF-8 continuation bytes are not counted.
std::size_t lengthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

bool isUsername(std::string_view text) {
  const auto first = [](char c) { return isLower(c) || isUpper(c) || isDigit(c); };
  return !text.empty() && text.size() <= kMaxUsername && first(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return first(c) || c == '.' || c == '_' || c == '-'; });
}

bool isEmail(std::string_view text) {
  const std::size_t at = text.find('@');
  return lengthOf(text) <= kMaxEmail && at != std::string_view::npos && at > 0 &&
         at + 1 < text.size() &&
         std::none_of(text.begin(), text.end(), [](char c) { return isControl(c) || c == ' '; });
}

bool isTeamName(std::string_view text) {
  const auto first = [](char c) { return isLower(c) || isDigit(c); };
  return !text.empty() && text.size() <= kMaxTeamName && first(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return first(c) || c == '_' || c == '-'; });
}

bool isProjectName(std::string_view text) {
  constexpr std::string_view kForbidden("/\\#?%:\r\n\0", 9);
  return !text.empty() && lengthOf(text) <= kMaxProjectName &&
         text.find_first_of(kForbidden) == std::string_view::npos;
}

bool isLabel(std::string_view text) {
  return !text.empty() && lengthOf(text) <= kMaxLabel &&
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

std::string foldCase(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    if (isUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

}  // namespace spindle::identity
