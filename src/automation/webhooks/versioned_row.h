#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "automation/rules/sql_parts.h"
#include "base/core/time.h"

namespace spindle::automation {

/// The identity and the version of a webhook or a secret.
struct VersionedRow {
  std::string id;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

/// Returns the members of a new row, whose id starts with `prefix`.
VersionedRow newRow(std::string_view prefix, Timestamp now);

const WritableColumns<VersionedRow>& versionedColumns();

}  // namespace spindle::automation
