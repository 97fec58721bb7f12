#include "agents/store/text_characters.h"

#include <algorithm>

#include "base/core/utf8.h"

namespace spindle::agents {

std::string_view firstCharacters(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  const auto end = std::find_if(text.begin(), text.end(),
                                [&](char c) { return beginsCharacter(c) && ++seen > count; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace spindle::agents
