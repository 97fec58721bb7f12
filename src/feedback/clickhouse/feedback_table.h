#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clickhouse/client/client.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"
#include "feedback/feedback.h"
#include "query/sql.h"

namespace spindle::feedback {

/// Returns the table of feedback.
clickhouse::AreaSchema feedbackTables(const clickhouse::TableOptions& options);

/// Returns the table and the columns of rows that putFeedback() writes.
const clickhouse::InsertTarget& feedbackTarget();

/// Appends a row in the format RowBinary. The row with the greatest version of an id counts.
void putFeedback(std::string& out,
                 std::string_view project,
                 const Feedback& feedback,
                 std::uint64_t version);
/// Appends a row that hides all rows of the id with a smaller version.
void putDeletion(std::string& out,
                 std::string_view project,
                 std::string_view id,
                 std::uint64_t version);

/// Returns the description of feedback for copies from and to the embedded store.
clickhouse::RowTable feedbackRowTable();

/// Returns the newest rows of the feedback of a project, as a FROM item without a name. Its columns
/// are those of feedbackFamily(). `condition` is over the stored rows `r`; empty for none.
/// Statements over it end with clickhouse::finalSettings().
query::Sql clickHouseFeedbackRows(std::string_view project, const query::Sql& condition = {});

}  // namespace spindle::feedback
