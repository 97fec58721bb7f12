#include "objects/values/label.h"

#include <algorithm>
#include <cstddef>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "objects/values/object.h"

namespace spindle::objects {
namespace {

constexpr std::size_t kMaxTag = 256;
constexpr std::size_t kMaxAlias = 128;
constexpr std::size_t kMaxObjectId = 128;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool isWordCharacter(char c) { return isLetterOrDigit(c) || c == '_'; }

bool isTag(std::string_view text) {
  if (text.empty() || text.size() > kMaxTag || text.front() == ' ' || text.back() == ' ') {
    return false;
  }
  if (text.find("  ") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return isWordCharacter(c) || c == '-' || c == ' '; });
}

bool namesAVersion(std::string_view text) {
  return text == kLatest ||
         (text.size() > 1 && text[0] == 'v' && std::all_of(text.begin() + 1, text.end(), isDigit));
}

/// Returns the reason why the text is not an alias, or an empty text.
std::string_view aliasProblem(std::string_view text) {
  if (text.find_first_not_of(kBlanks) == std::string_view::npos) return "it is blank";
  if (charactersIn(text) > kMaxAlias) return "it has more than 128 characters";
  if (text.find_first_of("/:") != std::string_view::npos) return "it contains '/' or ':'";
  if (namesAVersion(text)) return "it is reserved";
  return {};
}

/// Returns the distinct characters that an object id must not contain, in order, for a message.
std::string badCharacters(std::string_view text) {
  std::string bad;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && !beginsCharacter(text[end])) ++end;
    const std::string_view character = text.substr(at, end - at);
    const bool good =
        end == at + 1 && (isWordCharacter(text[at]) || text[at] == '.' || text[at] == '-');
    const std::string quoted = "'" + std::string(character) + "'";
    if (!good && bad.find(quoted) == std::string::npos)
      bad.append(bad.empty() ? "" : ", ").append(quoted);
    at = end;
  }
  return bad;
}

}  // namespace

Result<void> checkTags(const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) {
    if (isTag(tag)) continue;
    return Error::invalidArgument("Invalid tag '" + tag.substr(0, kMaxTag) +
                                  "': a tag is 1 to 256 characters long and consists of words of "
                                  "letters, digits, '_' and '-' with single spaces between them");
  }
  return {};
}

Result<void> checkAliases(const std::vector<std::string>& aliases) {
  for (const std::string& alias : aliases) {
    const std::string_view problem = aliasProblem(alias);
    if (problem.empty()) continue;
    return Error::invalidArgument("Invalid alias '" + alias.substr(0, kMaxAlias) +
                                  "': " + std::string(problem));
  }
  return {};
}

Result<void> checkObjectId(std::string_view object_id) {
  if (object_id.empty()) return Error(ErrorCode::kUnprocessable, "Object name cannot be empty");
  const std::string bad = badCharacters(object_id);
  if (!bad.empty()) {
    return Error(ErrorCode::kUnprocessable, "Invalid object name: it contains " + bad +
                                                "; letters, digits, '_', '.' and '-' are allowed");
  }
  if (object_id.size() > kMaxObjectId) {
    return Error::invalidArgument("String too long: an object name has at most " +
                                  std::to_string(kMaxObjectId) + " characters, this one " +
                                  std::to_string(object_id.size()));
  }
  return {};
}

}  // namespace spindle::objects
