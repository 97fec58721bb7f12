#include "columnar/journal/utf8.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "base/core/utf8.h"

namespace spindle::columnar {

bool isText(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return isUtf8(*text);
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  return texts == nullptr || std::all_of(texts->begin(), texts->end(),
                                         [](const std::string& text) { return isUtf8(text); });
}

}  // namespace spindle::columnar
