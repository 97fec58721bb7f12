#include "storage/copy/table_page.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/database/placeholders.h"

namespace spindle::storage {
namespace {

/// Rows of one INSERT. The rest of a page is inserted row by row, so that few statements are
/// prepared.
constexpr std::size_t kRowsOfInsert = 64;

SqlText quoted(std::string_view name) {
  std::optional<SqlText> text = SqlText::identifier(name);
  if (!text) throw SqlError("not an identifier: " + std::string(name));
  return *std::move(text);
}

void append(SqlText& list, SqlView separator, SqlView item) {
  if (!list.empty()) list += separator;
  list += item;
}

Value valueAt(const Row& row, int position, ColumnKind kind) {
  if (row.isNull(position)) return {};
  switch (kind) {
    case ColumnKind::kInteger:
      return row.integer(position);
    case ColumnKind::kReal:
      return row.real(position);
    case ColumnKind::kText:
      return row.text(position);
  }
  return {};
}

}  // namespace

Params valuesOf(const Row& row, const Table& table) {
  Params values;
  values.reserve(table.columns.size());
  for (const TableColumn& column : table.columns)
    values.push_back(valueAt(row, static_cast<int>(values.size()), column.kind));
  return values;
}

TablePages::TablePages(const Table& table) : table_(table), name_(quoted(table.name)) {
  for (const TableColumn& column : table.columns) {
    append(columns_, ", ", quoted(column.name));
    if (column.kind != ColumnKind::kText) continue;
    append(bytes_, " + ",
           "CAST(COALESCE(length(" + SqlText(quoted(column.name)) + "), 0) AS BIGINT)");
  }
  for (const std::string& name : table.key) {
    append(key_, ", ", quoted(name));
    append(key_descending_, ", ", quoted(name) + " DESC");
    const auto position =
        std::find_if(table.columns.begin(), table.columns.end(),
                     [&](const TableColumn& column) { return column.name == name; });
    key_positions_.push_back(static_cast<std::size_t>(position - table.columns.begin()));
  }
}

SqlText TablePages::afterKey(bool bounded) const {
  SqlText text = " FROM " + SqlText(name_);
  if (bounded) text += " WHERE (" + key_ + ") > " + placeholders(key_positions_.size());
  return text + " ORDER BY " + key_ + " LIMIT ?";
}

Result<std::int64_t> TablePages::rowsOfPage(Session& session,
                                            const std::optional<RowKey>& after,
                                            const PageLimits& limits) const {
  const auto most = static_cast<std::int64_t>(limits.rows);
  if (bytes_.empty()) return most;
  Params params = after.value_or(RowKey());
  params.emplace_back(most);
  const Rows sizes =
      TRY(session.query("SELECT " + bytes_ + " AS bytes" + afterKey(after.has_value()), params));
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  for (const Row& row : sizes) {
    bytes += row.integer(0);
    if (rows > 0 && bytes > static_cast<std::int64_t>(limits.bytes)) break;
    ++rows;
  }
  return rows;
}

Result<Rows> TablePages::read(Session& session,
                              const std::optional<RowKey>& after,
                              const PageLimits& limits) const {
  const std::int64_t rows = TRY(rowsOfPage(session, after, limits));
  if (rows == 0) return Rows();
  Params params = after.value_or(RowKey());
  params.emplace_back(rows);
  return session.query("SELECT " + columns_ + afterKey(after.has_value()), params);
}

Result<void> TablePages::insert(Session& session, const Rows& rows) const {
  const SqlText into = "INSERT INTO " + SqlText(name_) + " (" + columns_ + ") VALUES ";
  const SqlText many = into + placeholders(table_.columns.size(), kRowsOfInsert);
  const SqlText one = into + placeholders(table_.columns.size());
  Params params;
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t count = rows.size() - at >= kRowsOfInsert ? kRowsOfInsert : 1;
    params.clear();
    for (const std::size_t end = at + count; at < end; ++at) {
      for (Value& value : valuesOf(rows[at], table_)) params.push_back(std::move(value));
    }
    TRY(session.execute(count == 1 ? one : many, params));
  }
  return {};
}

Result<std::optional<RowKey>> TablePages::lastKey(Session& session) const {
  const std::optional<Row> row = TRY(session.queryOne("SELECT " + key_ + " FROM " + name_ +
                                                      " ORDER BY " + key_descending_ + " LIMIT 1"));
  if (!row) return std::optional<RowKey>();
  RowKey key;
  for (std::size_t i = 0; i < key_positions_.size(); ++i) {
    key.push_back(valueAt(*row, static_cast<int>(i), table_.columns[key_positions_[i]].kind));
  }
  return std::optional(std::move(key));
}

RowKey TablePages::keyOf(const Row& row) const {
  RowKey key;
  for (const std::size_t position : key_positions_)
    key.push_back(valueAt(row, static_cast<int>(position), table_.columns[position].kind));
  return key;
}

}  // namespace spindle::storage
