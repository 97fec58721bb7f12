#pragma once

#include <vector>

#include "columnar/store/store.h"

namespace spindle::backup {

/// Returns one small family, for a store in tests.
inline std::vector<columnar::Family> noteFamilies() {
  return {{.name = "notes",
           .columns = {{"id", columnar::ColumnType::kText}, {"made", columnar::ColumnType::kTime}},
           .key = 0,
           .order = 1}};
}

}  // namespace spindle::backup
