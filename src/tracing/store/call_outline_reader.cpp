#include "tracing/store/call_outline_reader.h"

#include <string>

#include "query/field.h"
#include "query/table_union.h"
#include "tracing/store/call_fields.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::Sql;

/// Returns a text inside the attributes of a call `c`, shortened.
SqlText attributeSql(const std::vector<std::string>& path) {
  return "left(json_extract_string(c.attributes, " + query::pointerSql(path) + "), 64)";
}

/// Returns the kind that the attributes state, in one of the three places where clients put it.
SqlText kindSql() {
  SqlText kind = "COALESCE(" + attributeSql({"kind"});
  for (const wire::Spelling spelling : {wire::Spelling::kNeutral, wire::Spelling::kVendor})
    kind += ", " + attributeSql({std::string(wire::platformKey(spelling)), "kind"});
  return kind + ")";
}

SqlText outlineList() {
  // Only few calls state a kind: a search in the text costs less than a parse.
  return "c.id AS id, c.parent_id, c.op_name, c.display_name, c.started_at AS started_at, "
         "c.ended_at, c.exception IS NOT NULL, "
         "CASE WHEN contains(c.attributes, '\"operation_name\"') THEN " +
         attributeSql({"operation_name"}) +
         " END, CASE WHEN contains(c.attributes, '\"kind\"') THEN " + kindSql() + " END, " +
         usageSql();
}

OutlinedCall outlinedCall(const Cursor& row) {
  OutlinedCall call;
  call.id = std::string(row.text(0));
  if (!row.isNull(1)) call.parent_id = std::string(row.text(1));
  call.op_name = std::string(row.text(2));
  if (!row.isNull(3)) call.display_name = std::string(row.text(3));
  call.started_at = row.time(4);
  if (!row.isNull(5)) call.ended_at = row.time(5);
  call.failed = row.boolean(6);
  call.operation = std::string(row.text(7));
  call.kind = std::string(row.text(8));
  if (!row.isNull(9)) call.usage = std::string(row.text(9));
  return call;
}

}  // namespace

Result<std::vector<OutlinedCall>> readCallOutline(columnar::Snapshot& snapshot,
                                                  const std::vector<columnar::Source>& sources,
                                                  std::string_view trace_id,
                                                  std::int64_t limit) {
  Sql condition("c.presence = 1 AND c.trace_id = ");
  condition.param(std::string(trace_id));
  Sql sql = query::selectFrom(sources, outlineList(), condition);
  sql.add(" ORDER BY started_at, id LIMIT " + SqlText::number(limit));
  return collectRows(snapshot.query(sql.text, sql.params), outlinedCall);
}

}  // namespace spindle::tracing
