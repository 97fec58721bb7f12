#include "app/cli/given_file.h"

#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"

namespace spindle::app {
namespace {

std::string problemOf(const std::string& path) {
  try {
    fileText(path);
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
  return {};
}

TEST(GivenFile, IsReadCompletely) {
  const FolderForTest folder;
  const std::string path = folder.path() + "/file";
  const std::string content("a\0b\r\n", 5);
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(fileText(path), content);
}

TEST(GivenFile, AProblemNamesThePathAndTheReason) {
  const FolderForTest folder;
  EXPECT_EQ(problemOf(folder.path() + "/none"), folder.path() + "/none: cannot be read");
  EXPECT_EQ(problemOf(folder.path()), folder.path() + ": cannot be read: it is a folder");
}

}  // namespace
}  // namespace spindle::app
