#include "base/core/url_path.h"

#include <algorithm>

#include "base/core/ascii.h"

namespace spindle {

bool isUrlPath(std::string_view text) {
  constexpr std::string_view kOthers = "/-._~";
  return text.starts_with('/') && text.find("//") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [kOthers](char c) {
           return isLetterOrDigit(c) || kOthers.find(c) != std::string_view::npos;
         });
}

}  // namespace spindle
