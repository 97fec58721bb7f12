#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clickhouse/client/client.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"
#include "columnar/journal/family.h"
#include "query/sql.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// Returns the tables of calls.
clickhouse::AreaSchema callTables(const clickhouse::TableOptions& options);

/// Returns the table and the columns of rows that putCall() writes.
const clickhouse::InsertTarget& callTarget();

/// Returns the time inside a UUIDv7 in milliseconds, or 0 for another id and for a time outside of
/// the years 2020 to 2049. It is part of the sort key, so that a call sent again replaces itself
/// whatever its start is. Must never change.
std::int64_t idTime(std::string_view id);

/// Sort keys of calls, as lists with commas. ClickHouse reads one long text much faster than many
/// constants.
struct CallKeys {
  void add(std::string_view project, std::string_view id);

  std::string projects = {};  ///< in hexadecimal
  std::string times = {};     ///< idTime()
  std::string ids = {};       ///< in hexadecimal
  std::size_t count = 0;
};

/// The order of the rows of one call: the row with the greatest version counts. A row with a start
/// is always newer than one without, and nothing is newer than a deletion.
std::uint64_t versionOf(Presence presence, Timestamp now, std::uint64_t known_version);

/// Appends a row in the format RowBinary.
void putCall(std::string& out, std::string_view project, Call call, std::uint64_t version);

/// Appends a row of callFamily(), which contains its OpenTelemetry resource, in the same format.
void putCallRow(std::string& out,
                std::string_view project,
                const columnar::Row& row,
                std::uint64_t version);

/// Returns the description of all calls for copies from and to the embedded store: also deleted
/// ones, and those without a start. Its rows contain their OpenTelemetry resources.
clickhouse::RowTable callRowTable();

/// Returns the newest rows of the visible calls of a project, as a table without a name, for
/// statements that end with clickhouse::finalSettings(). Its
/// columns are those of callFamily(), and NULL where a call has no value. `condition` is over the
/// stored rows `r`, where a missing text is empty and a missing time is 1970, but 2100 for
/// expire_at; empty for none.
query::Sql callRows(std::string_view project, const query::Sql& condition = {});

/// Returns the newest rows of calls that satisfy the condition, as callRows(), but also those of
/// deleted calls and of calls without a start. Has the column `version` too.
query::Sql newestCallRows(std::string_view project, const query::Sql& condition);

/// Returns project, id and id_at of the calls of all projects that expired before `now`, as a table
/// without a name.
query::Sql expiredCallRows(Timestamp now);

/// Returns the statement that deletes calls, which `rows` gives as expiredCallRows() does.
query::Sql insertDeletions(const query::Sql& rows);

/// Returns the condition over rows `r` that a row has one of these ids, at least one.
query::Sql haveIds(const std::vector<std::string>& ids);

/// Returns the condition over rows `r` of all projects that a row is of one of these calls, at
/// least one.
query::Sql haveKeys(CallKeys keys);

/// Returns a condition over rows `r` of a project for calls with one of these values in a text
/// column. Reads the index of the column, which FINAL does not use. True also for some other calls,
/// whose older rows had such a value.
query::Sql mayHave(std::string_view project,
                   SqlName column,
                   const std::vector<std::string>& values);

/// Returns the condition over rows `r` of a project for the calls that a filter can match; empty
/// if the filter names neither calls, traces, parents nor threads.
query::Sql mayMatch(std::string_view project, const CallFilter& filter);

}  // namespace spindle::tracing
