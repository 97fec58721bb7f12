#include "weights/formats/file_name.h"

#include <algorithm>

namespace spindle::weights {
namespace {

constexpr std::size_t kLongestShown = 80;

}  // namespace

std::string fileNameOf(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string printableName(std::string_view name) {
  std::string shown(name.substr(0, kLongestShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

}  // namespace spindle::weights
