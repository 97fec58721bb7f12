#include "clickhouse/rows/row_reader.h"

#include <charconv>
#include <utility>
#include <variant>

#include "base/crypto/crypto.h"
#include "columnar/journal/cursor_row.h"
#include "columnar/journal/row_codec.h"

namespace spindle::clickhouse {
namespace {

using columnar::ColumnType;

constexpr std::size_t kBatchBytes = 8UL << 20;
/// Held in memory while a project is read.
constexpr std::size_t kMaxScattered = 1'000'000;
constexpr char kSeparator = ',';

std::string textOf(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return encodeBase64(*text);
  if (const auto* time = std::get_if<Timestamp>(&value)) return std::to_string(microsOf(*time));
  return std::to_string(std::get<std::int64_t>(value));
}

std::optional<Value> valueOf(std::string_view text, ColumnType type) {
  if (type == ColumnType::kText) {
    std::optional<std::string> decoded = decodeBase64(text);
    return decoded ? std::optional<Value>(*std::move(decoded)) : std::nullopt;
  }
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return type == ColumnType::kTime ? Value(timestampOfMicros(number)) : Value(number);
}

}  // namespace

std::string RowReader::positionOf(const Key& key) {
  std::string position;
  for (const Value& value : key) {
    if (&value != key.data()) position += kSeparator;
    position += textOf(value);
  }
  return position;
}

std::optional<RowReader::Key> RowReader::keyOf(std::string_view position) const {
  if (position.empty()) return std::nullopt;
  Key key;
  for (const KeyColumn& column : table_.key) {
    const bool is_last = key.size() + 1 == table_.key.size();
    const std::size_t end = is_last ? position.size() : position.find(kSeparator);
    if (end == std::string_view::npos) return std::nullopt;
    std::optional<Value> value = valueOf(position.substr(0, end), column.type);
    if (!value) return std::nullopt;
    key.push_back(*std::move(value));
    position.remove_prefix(is_last ? end : end + 1);
  }
  return key;
}

RowReader::Key RowReader::keyAt(const Cursor& row) const {
  Key key;
  key.reserve(table_.key.size());
  for (const KeyColumn& column : table_.key)
    key.push_back(columnar::valueAt(row, key.size(), column.type));
  return key;
}

SqlText RowReader::keyList() const {
  SqlText list;
  for (const KeyColumn& column : table_.key)
    list.add(list.empty() ? SqlView() : SqlView(", ")).add(column.expression);
  return list;
}

void RowReader::addComparison(Statement& statement,
                              const Key& key,
                              SqlView first,
                              SqlView all) const {
  // ClickHouse finds the rows by the comparison of the first column.
  statement.text.add(" AND ").add(table_.key.front().expression).add(first).add("?");
  statement.params.push_back(key.front());
  statement.text.add(" AND tuple(").add(keyList()).add(")").add(all).add("tuple(");
  for (std::size_t i = 0; i < key.size(); ++i)
    statement.text.add(i == 0 ? SqlView("?") : SqlView(", ?"));
  statement.text.add(")");
  statement.params.insert(statement.params.end(), key.begin(), key.end());
}

RowReader::Statement RowReader::rowsBetween(std::string_view project,
                                            const std::optional<Key>& from,
                                            const std::optional<Key>& to) const {
  Statement statement{" FROM " + SqlText(table_.target.table) + " AS r WHERE ", {}};
  if (table_.partition.empty()) {
    statement.text.add("r.project_id = ?");
    statement.params.emplace_back(std::string(project));
  } else {
    statement.text.add("1");
  }
  if (from) addComparison(statement, *from, " >= ", " > ");
  if (to) addComparison(statement, *to, " <= ", " <= ");
  statement.text.add(" ORDER BY ");
  if (table_.partition.empty()) statement.text.add("r.project_id, ");
  statement.text.add(keyList());
  return statement;
}

Result<std::optional<RowReader::Key>> RowReader::windowEnd(std::string_view project,
                                                           const std::optional<Key>& from) {
  // The columns of the key are light: the others are read of the rows of one window only.
  const Statement rows = rowsBetween(project, from, std::nullopt);
  const SqlText sql =
      "SELECT " + keyList() + rows.text + " LIMIT 1 OFFSET " + SqlText::number(window_ - 1);
  std::optional<Key> end;
  TRY(forEachRow(client_.query(sql, rows.params), [&](const Cursor& row) { end = keyAt(row); }));
  return end;
}

Result<void> RowReader::readScattered(std::string_view project) {
  newest_.clear();
  if (table_.scattered.empty()) return {};
  const SqlView first(table_.key.front().expression);
  SqlText sql = "SELECT " + SqlText(table_.scattered) + " AS record, toInt64(max(r." +
                SqlText(table_.version) + ")) FROM " + table_.target.table +
                " AS r WHERE r.project_id = ? GROUP BY record HAVING min(" + first + ") < max(" +
                first + ")";
  return forEachRow(client_.query(sql, {std::string(project)}),
                    [&](const Cursor& row) -> Result<void> {
                      newest_.emplace(row.text(0), row.integer(1));
                      if (newest_.size() <= kMaxScattered) return {};
                      return Error(ErrorCode::kTooLarge,
                                   "More than a million records of a project were stored again "
                                   "with another time.");
                    });
}

bool RowReader::isReplaced(const columnar::Row& row, std::int64_t version) const {
  if (newest_.empty()) return false;
  const auto newest = newest_.find(std::get<std::string>(row.front()));
  return newest != newest_.end() && version < newest->second;
}

Result<void> RowReader::readWindow(std::string_view project,
                                   const std::optional<Key>& from,
                                   const std::optional<Key>& to,
                                   const TakeRows& take) {
  const Statement rows = rowsBetween(project, from, to);
  SqlText sql = "SELECT " + keyList() + ", toInt64(r." + SqlText(table_.version) + "), " +
                table_.columns + " FROM (SELECT *" + rows.text + ", r." + SqlText(table_.version) +
                " DESC LIMIT 1 BY " + keyList() + ") AS r";
  if (!table_.exists.empty()) sql.add(" WHERE ").add(table_.exists);
  const std::size_t version = table_.key.size();
  std::optional<Key> last = to;
  std::vector<columnar::Row> batch;
  std::size_t bytes = 0;
  TRY(forEachRow(client_.query(sql, rows.params), [&](const Cursor& row) -> Result<void> {
    if (!to) {
      Key key = keyAt(row);
      if (!last || *last < key) last = std::move(key);
    }
    columnar::Row values = columnar::rowAt(row, table_.family, version + 1);
    if (isReplaced(values, row.integer(version))) return {};
    table_.normalize(values);
    bytes += columnar::encodedBytes(values);
    batch.push_back(std::move(values));
    if (bytes < kBatchBytes) return {};
    bytes = 0;
    return take(std::exchange(batch, {}), std::nullopt);
  }));
  return take(std::move(batch), last ? std::optional(positionOf(*last)) : std::nullopt);
}

Result<std::int64_t> RowReader::count() {
  std::int64_t rows = 0;
  TRY(forEachRow(client_.query("SELECT toInt64(count()) FROM " + SqlText(table_.target.table)),
                 [&rows](const Cursor& row) { rows = row.integer(0); }));
  return rows;
}

Result<void> RowReader::read(std::string_view project,
                             std::string_view after,
                             const TakeRows& take) {
  if (!table_.partition.empty() && table_.partition != project) return {};
  TRY(readScattered(project));
  std::optional<Key> from = keyOf(after);
  while (true) {
    const std::optional<Key> to = TRY(windowEnd(project, from));
    TRY(readWindow(project, from, to, take));
    if (!to) return {};
    from = to;
  }
}

}  // namespace spindle::clickhouse
