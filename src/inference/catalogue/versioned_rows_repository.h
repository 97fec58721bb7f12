#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/id.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

// SQL helpers of the repositories of this area whose rows have versions and a common revision.
namespace spindle::inference {

/// Returns the columns of a table: those of every versioned row, and `own`, which are
/// `storage::Columns<Record>::Column`.
template <class Record, class... Own>
storage::Columns<Record> versionedColumns(const Own&... own) {
  return {{"id", &Record::id},
          own...,
          {"version", &Record::version},
          {"created_at", &Record::created_at},
          {"updated_at", &Record::updated_at}};
}

/// Sets the id, the version and the times of a new record.
template <class Record>
void markNew(Record& record, std::string_view id_prefix, Timestamp now) {
  record.id = newPrefixedId(id_prefix, now);
  record.version = 1;
  record.created_at = record.updated_at = now;
}

/// Executes an INSERT with `ON CONFLICT … DO NOTHING`. @return `taken` if it did nothing.
Result<void> insertNew(storage::Session& session,
                       const SqlText& insert,
                       const storage::Params& params,
                       const Error& taken);

/// Increments the revision of `catalogue` or `limits`.
Result<void> incrementRevision(storage::Session& session, std::string_view name);
Result<std::int64_t> readRevision(storage::Session& session, std::string_view name);

/// Returns a snapshot with the revision, and with the rows that `fill(session, snapshot)` reads in
/// the same transaction.
template <class Snapshot, class Fill>
Result<Snapshot> readSnapshot(storage::Database& database, std::string_view name, Fill fill) {
  return database.read([&](storage::Session& session) -> Result<Snapshot> {
    Snapshot snapshot;
    const std::int64_t revision = TRY(readRevision(session, name));
    snapshot.revision = revision;
    TRY(fill(session, snapshot));
    return snapshot;
  });
}

}  // namespace spindle::inference
