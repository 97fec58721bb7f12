#include "app/cli/given_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace spindle::app {

std::string fileText(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    throw std::runtime_error(path + ": cannot be read: it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace spindle::app
