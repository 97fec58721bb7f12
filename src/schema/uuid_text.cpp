#include "schema/uuid_text.h"

#include <array>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/utf8.h"

namespace spindle::schema {
namespace {

/// Returns the UTF-8 character that starts at `at`.
std::string_view characterAt(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && !beginsCharacter(text[end])) ++end;
  return text.substr(at, end - at);
}

UuidText broken(std::string error) { return {{}, std::move(error)}; }

UuidText withHyphens(const std::string& digits) {
  std::string canonical;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) canonical += '-';
    canonical += toLower(digits[i]);
  }
  return {std::move(canonical), {}};
}

}  // namespace

UuidText parseUuid(std::string_view text) {
  const std::string_view whole = text;
  if (text.starts_with('{') && text.ends_with('}')) {
    text = text.substr(1, text.size() - 2);
  } else if (text.starts_with("urn:uuid:")) {
    text.remove_prefix(9);
  }
  const auto offset = static_cast<std::size_t>(text.data() - whole.data());
  std::string digits;
  std::vector<std::size_t> groups(1, 0);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '-') {
      groups.push_back(0);
      continue;
    }
    if (hexValue(text[at]) < 0) {
      return broken("invalid character: found `" + std::string(characterAt(text, at)) + "` at " +
                    std::to_string(at + offset));
    }
    digits += text[at];
    ++groups.back();
  }
  if (groups.size() == 1) {
    if (digits.size() != 32)
      return broken("invalid length: found " + std::to_string(digits.size()));
    return withHyphens(digits);
  }
  if (groups.size() != 5) {
    return broken("invalid group count: expected 5, found " + std::to_string(groups.size()));
  }
  constexpr std::array<std::size_t, 5> kExpected = {8, 4, 4, 4, 12};
  for (std::size_t i = 0; i < kExpected.size(); ++i) {
    if (groups[i] == kExpected[i]) continue;
    return broken("invalid group length in group " + std::to_string(i) + ": expected " +
                  std::to_string(kExpected[i]) + ", found " + std::to_string(groups[i]));
  }
  return withHyphens(digits);
}

}  // namespace spindle::schema
