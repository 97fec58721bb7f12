#include "columnar/testing/store_for_test.h"

#include <utility>

namespace spindle::columnar {

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
