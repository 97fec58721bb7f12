#include "base/core/url_path.h"

#include <algorithm>

namespace spindle {

bool isUrlPath(std::string_view text) {
  constexpr std::string_view kOthers = "/-._~";
  return text.starts_with('/') && text.find("//") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [kOthers](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  kOthers.find(c) != std::string_view::npos;
         });
}

}  // namespace spindle
