#include "columnar/duckdb/parquet.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <duckdb.h>

#include "base/core/lookup.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "json/document.h"
#include "json/writer.h"

namespace spindle::columnar {
namespace {

using json::Node;

constexpr std::size_t kMaxDepth = 512;
constexpr SqlName kTable = "lines";

Result<SqlText> fileName(const std::string& path) {
  std::optional<SqlText> name = SqlText::fileName(path);
  if (!name) return Error::invalidArgument("the path of a file contains U+0000");
  return *std::move(name);
}

Result<SqlText> columnName(const std::string& name) {
  std::optional<SqlText> quoted = SqlText::identifier(name);
  if (!quoted) return Error::invalidArgument("\"" + name + "\" is not the name of a column");
  return *std::move(quoted);
}

constexpr auto kSqlTypes =
    std::to_array<LookupEntry<ParquetKind, SqlView>>({{ParquetKind::kText, "VARCHAR"},
                                                      {ParquetKind::kJson, "VARCHAR"},
                                                      {ParquetKind::kTime, "TIMESTAMPTZ"},
                                                      {ParquetKind::kInteger, "BIGINT"}});

Error cannotOpen(const std::string& file) {
  return Error::unavailable(file + ": cannot be opened");
}

/// An in-memory DuckDB instance for one conversion, with one connection. Spills into its own
/// folder.
class Converter {
 public:
  explicit Converter(std::string spill_folder) : spill_folder_(std::move(spill_folder)) {}
  ~Converter() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
    std::error_code ignored;
    std::filesystem::remove_all(spill_folder_, ignored);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  Result<void> open() {
    duckdb_config config = nullptr;
    duckdb_create_config(&config);
    // One thread keeps the row order without buffering rows.
    const std::pair<const char*, const char*> options[] = {
        {"threads", "1"},
        {"preserve_insertion_order", "false"},
        {"memory_limit", "256MB"},
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
        {"temp_directory", spill_folder_.c_str()},
    };
    for (const auto& [name, value] : options) duckdb_set_config(config, name, value);
    char* problem = nullptr;
    const bool opened = duckdb_open_ext(nullptr, &database_, config, &problem) == DuckDBSuccess &&
                        duckdb_connect(database_, &connection_) == DuckDBSuccess;
    duckdb_destroy_config(&config);
    const std::string reason = problem == nullptr ? "" : problem;
    duckdb_free(problem);
    if (!opened) return Error::internal("DuckDB does not start: " + reason);
    return run("SET TimeZone = 'UTC'");
  }

  Result<void> run(SqlView sql) {
    const std::string text(sql.text());
    duckdb_result result;
    const bool done = duckdb_query(connection_, text.c_str(), &result) == DuckDBSuccess;
    const char* message = done ? nullptr : duckdb_result_error(&result);
    Result<void> outcome;
    if (!done) outcome = Error::unavailable(message == nullptr ? "DuckDB failed" : message);
    duckdb_destroy_result(&result);
    return outcome;
  }

  duckdb_connection connection() const { return connection_; }

 private:
  const std::string spill_folder_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

/// Appends JSON objects to the table.
class LineAppender {
 public:
  explicit LineAppender(const std::vector<ParquetColumn>& columns) : columns_(columns) {}
  ~LineAppender() { duckdb_appender_destroy(&appender_); }
  LineAppender(const LineAppender&) = delete;
  LineAppender& operator=(const LineAppender&) = delete;

  Result<void> open(duckdb_connection connection) {
    const std::string table(kTable.text());
    return checked(duckdb_appender_create(connection, nullptr, table.c_str(), &appender_));
  }

  Result<void> add(std::string line) {
    auto parsed = json::Document::parse(std::move(line), kMaxDepth);
    if (const auto* error = std::get_if<json::SyntaxError>(&parsed))
      return Error::invalidArgument("not JSON: " + error->message);
    const Node root = std::get<json::Document>(parsed).root();
    if (!root.isObject()) return Error::invalidArgument("not a JSON object");
    for (const ParquetColumn& column : columns_) {
      std::optional<Node> value = root.find(column.name);
      if (!value && !column.other_name.empty()) value = root.find(column.other_name);
      TRY(addValue(column, value));
    }
    return checked(duckdb_appender_end_row(appender_));
  }

  Result<void> finish() { return checked(duckdb_appender_close(appender_)); }

 private:
  Result<void> checked(duckdb_state state) const {
    if (state == DuckDBSuccess) return {};
    const char* message = duckdb_appender_error(appender_);
    return Error::unavailable(message == nullptr ? "DuckDB failed" : message);
  }

  Result<void> addValue(const ParquetColumn& column, const std::optional<Node>& value) {
    if (!value || value->isNull()) return checked(duckdb_append_null(appender_));
    switch (column.kind) {
      case ParquetKind::kText:
        if (value->isString()) return addText(value->text());
        break;
      case ParquetKind::kJson:
        return addText(value->raw());
      case ParquetKind::kInteger:
        if (const std::optional<std::int64_t> number =
                value->kind() == json::Kind::kInteger ? value->integer() : std::nullopt) {
          return checked(duckdb_append_int64(appender_, *number));
        }
        break;
      case ParquetKind::kTime:
        if (value->isString()) {
          if (const ParsedTimestamp time = parseTimestamp(value->text()))
            return checked(
                duckdb_append_timestamp(appender_, duckdb_timestamp{microsOf(*time.value)}));
        }
        break;
    }
    return Error::invalidArgument("\"" + column.name + "\" has the wrong type");
  }

  Result<void> addText(std::string_view text) {
    return checked(duckdb_append_varchar_length(appender_, text.data(), text.size()));
  }

  const std::vector<ParquetColumn>& columns_;
  duckdb_appender appender_ = nullptr;
};

Result<void> fillTable(Converter& converter,
                       const std::string& json_lines_file,
                       const std::vector<ParquetColumn>& columns) {
  std::ifstream lines(json_lines_file, std::ios::binary);
  if (!lines.is_open()) return cannotOpen(json_lines_file);
  LineAppender appender(columns);
  TRY(appender.open(converter.connection()));
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    Result<void> added = appender.add(std::move(line));
    if (!added) {
      return Error(added.error().code(),
                   json_lines_file + ":" + std::to_string(number) + ": " + added.error().message());
    }
  }
  if (lines.bad()) return Error::unavailable(json_lines_file + ": cannot be read");
  return appender.finish();
}

Result<SqlText> selectionOf(const std::string& parquet_file,
                            const std::vector<ParquetColumn>& columns,
                            const std::set<std::string>& present) {
  SqlText list;
  for (const ParquetColumn& column : columns) {
    SqlText value("NULL");
    for (const std::string& name : {column.other_name, column.name}) {
      if (!present.contains(name)) continue;
      SqlText quoted = TRY(columnName(name));
      value = std::move(quoted);
    }
    SqlText cast = "CAST(" + value + " AS " + lookUp(kSqlTypes, column.kind, "VARCHAR") + ")";
    if (column.kind == ParquetKind::kTime) cast = "epoch_us(" + cast + ")";
    if (!list.empty()) list += ", ";
    list += cast;
  }
  const SqlText file = TRY(fileName(parquet_file));
  return "SELECT " + list + " FROM read_parquet(" + file + ")";
}

/// A query over the Parquet file, read one chunk at a time.
class Rows {
 public:
  Rows() = default;
  ~Rows() {
    duckdb_destroy_data_chunk(&chunk_);
    if (has_result_) duckdb_destroy_result(&result_);
    duckdb_destroy_prepare(&statement_);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  Result<void> open(duckdb_connection connection, SqlView sql) {
    const std::string text(sql.text());
    if (duckdb_prepare(connection, text.c_str(), &statement_) != DuckDBSuccess)
      return problem(duckdb_prepare_error(statement_));
    duckdb_pending_result pending = nullptr;
    const bool started = duckdb_pending_prepared_streaming(statement_, &pending) == DuckDBSuccess &&
                         duckdb_execute_pending(pending, &result_) == DuckDBSuccess;
    has_result_ = true;
    Result<void> outcome;
    if (!started) outcome = problem(duckdb_pending_error(pending));
    duckdb_destroy_pending(&pending);
    return outcome;
  }

  std::set<std::string> names() {
    std::set<std::string> found;
    for (idx_t i = 0; i < duckdb_column_count(&result_); ++i)
      found.insert(duckdb_column_name(&result_, i));
    return found;
  }

  /// Fetches the next chunk. @return false after the last.
  Result<bool> next() {
    duckdb_destroy_data_chunk(&chunk_);
    chunk_ = duckdb_fetch_chunk(result_);
    if (chunk_ != nullptr && duckdb_data_chunk_get_size(chunk_) > 0) return true;
    if (const char* message = duckdb_result_error(&result_)) return problem(message);
    return false;
  }

  idx_t count() const { return duckdb_data_chunk_get_size(chunk_); }

  bool isNull(idx_t column, idx_t row) const {
    std::uint64_t* valid = duckdb_vector_get_validity(vector(column));
    return valid != nullptr && !duckdb_validity_row_is_valid(valid, row);
  }
  std::int64_t integer(idx_t column, idx_t row) const {
    return static_cast<const std::int64_t*>(duckdb_vector_get_data(vector(column)))[row];
  }
  std::string_view text(idx_t column, idx_t row) const {
    auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector(column)));
    return {duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row])};
  }

 private:
  static Error problem(const char* message) {
    return Error::invalidArgument(message == nullptr ? "DuckDB failed" : message);
  }
  duckdb_vector vector(idx_t column) const { return duckdb_data_chunk_get_vector(chunk_, column); }

  duckdb_prepared_statement statement_ = nullptr;
  duckdb_result result_{};
  bool has_result_ = false;
  duckdb_data_chunk chunk_ = nullptr;
};

/// Replaces line breaks, which JSON text from other programs may have between tokens.
std::string onOneLine(std::string_view json) {
  std::string text(json);
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  return text;
}

void writeCell(json::Writer& out, ParquetKind kind, const Rows& rows, idx_t column, idx_t row) {
  if (rows.isNull(column, row)) {
    out.null();
    return;
  }
  switch (kind) {
    case ParquetKind::kText:
      out.string(rows.text(column, row));
      break;
    case ParquetKind::kJson:
      out.raw(onOneLine(rows.text(column, row)));
      break;
    case ParquetKind::kInteger:
      out.integer(rows.integer(column, row));
      break;
    case ParquetKind::kTime:
      out.string(formatTimestamp(timestampOfMicros(rows.integer(column, row))));
      break;
  }
}

Result<void> writeLines(Rows& rows,
                        const std::string& json_lines_file,
                        const std::vector<ParquetColumn>& columns) {
  std::ofstream lines(json_lines_file, std::ios::binary | std::ios::trunc);
  if (!lines.is_open()) return cannotOpen(json_lines_file);
  std::string line;
  while (TRY(rows.next())) {
    for (idx_t row = 0; row < rows.count(); ++row) {
      line.clear();
      json::Writer out(line);
      out.beginObject();
      for (std::size_t i = 0; i < columns.size(); ++i)
        writeCell(out.key(columns[i].name), columns[i].kind, rows, i, row);
      out.endObject();
      line += '\n';
      lines << line;
    }
  }
  if (!lines.flush()) return Error::unavailable(json_lines_file + ": cannot be written");
  return {};
}

}  // namespace

Result<void> writeParquet(const std::string& json_lines_file,
                          const std::string& parquet_file,
                          const std::vector<ParquetColumn>& columns) {
  Converter converter(parquet_file + ".spill");
  TRY(converter.open());
  const SqlText file = TRY(fileName(parquet_file));
  SqlText definition;
  for (const ParquetColumn& column : columns) {
    const SqlText name = TRY(columnName(column.name));
    if (!definition.empty()) definition += ", ";
    definition += name + " " + lookUp(kSqlTypes, column.kind, "VARCHAR");
  }
  const SqlText table = "CREATE TABLE " + SqlText(kTable) + " (" + definition + ")";
  TRY(converter.run(table));
  TRY(fillTable(converter, json_lines_file, columns));
  return converter.run("COPY " + SqlText(kTable) + " TO " + file +
                       " (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES '32MB')");
}

Result<void> readParquet(const std::string& parquet_file,
                         const std::string& json_lines_file,
                         const std::vector<ParquetColumn>& columns) {
  if (!std::ifstream(parquet_file, std::ios::binary).is_open()) return cannotOpen(parquet_file);
  Converter converter(json_lines_file + ".spill");
  TRY(converter.open());
  const SqlText file = TRY(fileName(parquet_file));
  std::set<std::string> present;
  {
    Rows shape;
    TRY(shape.open(converter.connection(), "SELECT * FROM read_parquet(" + file + ") LIMIT 0"));
    present = shape.names();
  }
  const SqlText selection = TRY(selectionOf(parquet_file, columns, present));
  Rows rows;
  TRY(rows.open(converter.connection(), selection));
  return writeLines(rows, json_lines_file, columns);
}

}  // namespace spindle::columnar
