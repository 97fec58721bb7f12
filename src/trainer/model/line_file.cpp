#include "trainer/model/line_file.h"

#include <fstream>
#include <iterator>
#include <string_view>

namespace spindle::trainer {
namespace {

/// Some editors write it at the start of a file.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<void> forEachLine(const std::string& path,
                         const std::string& called,
                         const std::function<Result<void>(const std::string& line)>& take) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return Error::notFound("The training data cannot be read.");
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (const Result<void> taken = take(line); !taken) {
      return Error(taken.error().code(), "The training data cannot be used: " + called + " " +
                                             std::to_string(number) + ": " +
                                             taken.error().message() + ".");
    }
  }
  if (file.bad()) return Error::unavailable("The training data cannot be read.");
  return {};
}

Result<std::string> readTextFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return Error::notFound(path + ": it cannot be read");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace spindle::trainer
