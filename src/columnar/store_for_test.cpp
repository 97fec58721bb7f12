#include "columnar/store_for_test.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

namespace spindle::columnar {
namespace {

std::string newFolder() {
  std::string path = std::filesystem::temp_directory_path().string() + "/spindle-store-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot create " + path);
  return path;
}

}  // namespace

StoreForTest::StoreForTest(std::vector<Family> families, StoreOptions options)
    : families_(std::move(families)), options_(std::move(options)) {
  options_.folder = newFolder();
  store_ = Store::open(options_, families_, metrics_);
}

StoreForTest::~StoreForTest() {
  store_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(options_.folder, ignored);
}

void StoreForTest::reopen(std::vector<Family> families) {
  store_.reset();
  if (!families.empty()) families_ = std::move(families);
  store_ = Store::open(options_, families_, metrics_);
}

}  // namespace spindle::columnar
