#include "automation/webhooks/versioned_row.h"

#include "base/crypto/id.h"

namespace spindle::automation {

VersionedRow newRow(std::string_view prefix, Timestamp now) {
  return {newPrefixedId(prefix, now), 1, now, now};
}

const WritableColumns<VersionedRow>& versionedColumns() {
  static const WritableColumns<VersionedRow> columns{{"id", &VersionedRow::id},
                                                     {"version", &VersionedRow::version},
                                                     {"created_at", &VersionedRow::created_at},
                                                     {"updated_at", &VersionedRow::updated_at}};
  return columns;
}

}  // namespace spindle::automation
