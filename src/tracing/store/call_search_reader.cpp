#include "tracing/store/call_search_reader.h"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/core/utf8.h"
#include "json/escape.h"
#include "query/table_union.h"
#include "tracing/store/call_fields.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::Sql;

/// A text of calls `c` that is searched, and the form in which it contains the sought text.
struct SearchedText {
  SearchedField field;
  SqlText sql;
  std::string sought;
};

std::array<SearchedText, 3> textsFor(const CallSearch& search) {
  // Payloads are JSON with only the necessary escapes.
  std::string escaped = json::quoted(search.text);
  escaped = escaped.substr(1, escaped.size() - 2);
  return {{{SearchedField::kName, SqlText(traceNameSql()), search.text},
           {SearchedField::kInputs, SqlText("c.inputs"), escaped},
           {SearchedField::kOutput, SqlText("c.output"), escaped}}};
}

Sql conditionFor(const CallSearch& search, const std::array<SearchedText, 3>& texts) {
  Sql condition("c.presence = 1");
  if (search.since) condition.add(" AND c.started_at >= ").param(*search.since);
  if (search.until) condition.add(" AND c.started_at < ").param(*search.until);
  condition.add(" AND (");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    condition.add(i == 0 ? SqlView("contains(lower(") : SqlView(" OR contains(lower("));
    condition.add(texts[i].sql).add("), lower(").param(texts[i].sought).add("))");
  }
  return condition.add(")");
}

/// Returns `, before, match, after` of the first match in a text; NULL without one. lower() changes
/// no number of characters, so positions in the result are positions in the text.
Sql placeSql(const SearchedText& text) {
  const auto length = static_cast<std::int64_t>(charactersIn(text.sought));
  Sql sql(", list_transform([instr(lower(");
  sql.add(text.sql)
      .add("), lower(")
      .param(text.sought)
      .add("))], lambda p: CASE WHEN p > 0 THEN [");
  const auto part = [&](const SqlText& from, const SqlText& count) {
    sql.add("substring(" + text.sql + ", " + from + ", " + count + ")");
  };
  const SqlText before = SqlText::number(kFoundBefore);
  part("greatest(p - " + before + ", 1)", "least(p - 1, " + before + ")");
  sql.add(", ");
  part(SqlText("p"), SqlText::number(length));
  sql.add(", ");
  part("p + " + SqlText::number(length), SqlText::number(kFoundAfter));
  return sql.add("] END)[1]");
}

/// Adds the places of the text to the found calls.
Result<void> addPlaces(columnar::Snapshot& snapshot,
                       const CallStatement& statement,
                       const std::array<SearchedText, 3>& texts,
                       std::vector<FoundCall>& found) {
  std::unordered_map<std::string_view, FoundCall*> by_id;
  std::vector<std::string> ids;
  for (FoundCall& call : found) {
    by_id.emplace(call.id, &call);
    ids.push_back(call.id);
  }
  Sql list("c.id");
  list.add(", " + SqlText(traceNameSql()));
  for (const SearchedText& text : texts) list.add(placeSql(text));
  CallFilter filter;
  filter.call_ids = std::move(ids);
  Sql condition("c.started_at BETWEEN ");
  condition.param(found.back().started_at).add(" AND ").param(found.front().started_at);
  condition.add(" AND ").add(compileFilter(filter));
  const Sql sql = query::selectFrom(statement.sources, list, condition);
  return forEachRow(snapshot.query(sql.text, sql.params), [&](const Cursor& row) {
    const auto place = by_id.find(row.text(0));
    if (place == by_id.end()) return;
    place->second->name = std::string(row.text(1));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (row.isNull(2 + i)) continue;
      std::vector<std::string> parts = row.texts(2 + i);
      place->second->texts.push_back(
          {texts[i].field, std::move(parts.at(0)), std::move(parts.at(1)), std::move(parts.at(2))});
    }
  });
}

}  // namespace

Result<std::vector<FoundCall>> searchCalls(columnar::Snapshot& snapshot,
                                           columnar::FamilyId family,
                                           CallStatement statement,
                                           const CallSearch& search) {
  const std::array<SearchedText, 3> texts = textsFor(search);
  statement.condition = conditionFor(search, texts);
  statement.projection = {CallColumn::kId, CallColumn::kTraceId, CallColumn::kStartedAt};
  statement.limit = search.limit;
  std::vector<FoundCall> found;
  {
    const std::string project = statement.project;
    const std::unique_ptr<CallReader> reader =
        TRY(readByTime(snapshot, family, project, statement, TimeOrder::kNewestFirst));
    while (true) {
      std::vector<Call> batch = TRY(reader->next());
      if (batch.empty()) break;
      for (Call& call : batch) {
        found.push_back({std::move(call.id),
                         std::move(call.trace_id),
                         {},
                         call.started_at.value_or(Timestamp()),
                         {}});
      }
    }
  }
  if (found.empty()) return found;
  TRY(addPlaces(snapshot, statement, texts, found));
  return found;
}

}  // namespace spindle::tracing
