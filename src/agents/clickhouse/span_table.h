#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "clickhouse/client/client.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"
#include "columnar/journal/family.h"
#include "query/sql.h"

namespace spindle::agents {

/// Returns the tables of spans: `spans`, and what ClickHouse derives from them: the time range of
/// each trace and the log of ended turns; and the resources of spans.
clickhouse::AreaSchema spanTables(const clickhouse::TableOptions& options);

/// Return the table and the columns of rows that putSpan() and putResource() write.
const clickhouse::InsertTarget& spanTarget();
const clickhouse::InsertTarget& resourceTarget();

/// When a span was written.
struct SpanStamp {
  /// The span replaces older versions of it.
  std::uint64_t version = 0;
  /// Microseconds since 1970 at which a turn was stored; 0 for a span that ends no turn or a turn
  /// that was published before. Orders the log of ended turns.
  std::int64_t turn_stored_at = 0;
};

/// Appends a row in the format RowBinary.
void putSpan(std::string& out, std::string_view project, AgentSpan span, const SpanStamp& stamp);
/// Appends a row of spanFamily() in the same format.
void putSpanRow(std::string& out,
                std::string_view project,
                const columnar::Row& row,
                const SpanStamp& stamp);
void putResource(std::string& out, std::string_view project, const tracing::OtelResource& resource);

/// Return the descriptions of spans and of their resources for copies from and to the embedded
/// store.
clickhouse::RowTable spanRowTable();
clickhouse::RowTable resourceRowTable();

/// Returns the spans of a project as a table without a name, with the columns of spanFamily() and
/// `version`.
query::Sql spanRows(std::string_view project);

/// Returns ` AND …`: spans `c` within the time range of these traces, at least one.
query::Sql withinTraces(std::string_view project, const std::vector<std::string>& trace_ids);

/// Returns the settings of statements that read spanRows().
SqlView spanReadSettings();

}  // namespace spindle::agents
