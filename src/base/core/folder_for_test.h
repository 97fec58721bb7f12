#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

namespace spindle {

/// A new temporary folder. The destructor deletes it.
class FolderForTest {
 public:
  FolderForTest()
      : path_(std::filesystem::temp_directory_path().string() + "/spindle-test-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
  }
  ~FolderForTest() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FolderForTest(const FolderForTest&) = delete;
  FolderForTest& operator=(const FolderForTest&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace spindle
