#include "columnar/testing/store_for_test.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

namespace spindle::columnar {

FolderForTest::FolderForTest()
    : path_(std::filesystem::temp_directory_path().string() + "/spindle-store-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
}

FolderForTest::~FolderForTest() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StoreForTest::StoreForTest(std::vector<Family> families, StoreOptions options)
    : families_(std::move(families)), options_(std::move(options)) {
  options_.folder = folder_.path();
  options_.description_bytes = 0;  // attach the file again at every checkpoint
  store_ = Store::open(options_, families_, metrics_);
}

void StoreForTest::reopen(std::vector<Family> families) {
  store_.reset();
  if (!families.empty()) families_ = std::move(families);
  store_ = Store::open(options_, families_, metrics_);
}

}  // namespace spindle::columnar
