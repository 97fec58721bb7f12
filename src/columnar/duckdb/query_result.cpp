#include "columnar/duckdb/query_result.h"

#include <cmath>
#include <cstdlib>
#include <deque>
#include <utility>

#include <duckdb.h>

#include "base/core/check.h"
#include "columnar/duckdb/engine.h"

namespace spindle::columnar {
namespace {

/// Type and data pointers of one column of the chunk.
struct View {
  duckdb_type type = DUCKDB_TYPE_INVALID;
  duckdb_type decimal_storage = DUCKDB_TYPE_INVALID;
  double decimal_unit = 1;
  duckdb_vector vector = nullptr;
  const void* data = nullptr;
  const std::uint64_t* validity = nullptr;
};

template <class T>
T at(const View& view, std::size_t row) {
  return static_cast<const T*>(view.data)[row];
}

[[noreturn]] void failWrongType() {
  SPINDLE_ASSERT(false, "a result column is read as another type");
  std::abort();
}

std::int64_t integerOf(duckdb_type type, const View& view, std::size_t row) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return at<bool>(view, row) ? 1 : 0;
    case DUCKDB_TYPE_TINYINT:
      return at<std::int8_t>(view, row);
    case DUCKDB_TYPE_SMALLINT:
      return at<std::int16_t>(view, row);
    case DUCKDB_TYPE_INTEGER:
      return at<std::int32_t>(view, row);
    case DUCKDB_TYPE_BIGINT:
      return at<std::int64_t>(view, row);
    case DUCKDB_TYPE_UTINYINT:
      return at<std::uint8_t>(view, row);
    case DUCKDB_TYPE_USMALLINT:
      return at<std::uint16_t>(view, row);
    case DUCKDB_TYPE_UINTEGER:
      return at<std::uint32_t>(view, row);
    case DUCKDB_TYPE_UBIGINT:
      return static_cast<std::int64_t>(at<std::uint64_t>(view, row));
    case DUCKDB_TYPE_HUGEINT:
      return static_cast<std::int64_t>(at<duckdb_hugeint>(view, row).lower);
    default:
      failWrongType();
  }
}

double realOf(const View& view, std::size_t row) {
  switch (view.type) {
    case DUCKDB_TYPE_DOUBLE:
      return at<double>(view, row);
    case DUCKDB_TYPE_FLOAT:
      return static_cast<double>(at<float>(view, row));
    case DUCKDB_TYPE_HUGEINT:
      return duckdb_hugeint_to_double(at<duckdb_hugeint>(view, row));
    case DUCKDB_TYPE_UBIGINT:
      return static_cast<double>(at<std::uint64_t>(view, row));
    case DUCKDB_TYPE_DECIMAL:
      if (view.decimal_storage == DUCKDB_TYPE_HUGEINT) {
        return duckdb_hugeint_to_double(at<duckdb_hugeint>(view, row)) / view.decimal_unit;
      }
      return static_cast<double>(integerOf(view.decimal_storage, view, row)) / view.decimal_unit;
    default:
      return static_cast<double>(integerOf(view.type, view, row));
  }
}

std::string_view textAt(const void* data, std::size_t row) {
  const duckdb_string_t& text = static_cast<const duckdb_string_t*>(data)[row];
  if (duckdb_string_is_inlined(text))
    return {text.value.inlined.inlined, text.value.inlined.length};
  return {text.value.pointer.ptr, text.value.pointer.length};
}

bool validAt(const std::uint64_t* validity, std::size_t row) {
  return validity == nullptr || (validity[row / 64] >> (row % 64) & 1U) != 0;
}

}  // namespace

struct QueryResult::State {
  explicit State(Engine& engine_of_it) : engine(engine_of_it) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Error error();
  void readTypes();
  void point();
  /// Fetches one chunk that is not empty. Returns false after the last.
  Result<bool> fetch();
  std::size_t textBytes(duckdb_data_chunk of) const;

  Engine& engine;
  duckdb_result result{};
  duckdb_data_chunk chunk = nullptr;
  std::deque<duckdb_data_chunk> ahead;
  std::size_t rows = 0;
  std::vector<View> columns;
};

QueryResult::State::~State() {
  if (chunk != nullptr) duckdb_destroy_data_chunk(&chunk);
  for (duckdb_data_chunk& waiting : ahead) duckdb_destroy_data_chunk(&waiting);
  duckdb_destroy_result(&result);
}

Error QueryResult::State::error() {
  const char* message = duckdb_result_error(&result);
  return engine.errorOf(duckdb_result_error_type(&result),
                        message == nullptr ? "unknown" : message);
}

void QueryResult::State::readTypes() {
  columns.resize(duckdb_column_count(&result));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].type = duckdb_column_type(&result, i);
    if (columns[i].type != DUCKDB_TYPE_DECIMAL) continue;
    duckdb_logical_type logical = duckdb_column_logical_type(&result, i);
    columns[i].decimal_storage = duckdb_decimal_internal_type(logical);
    columns[i].decimal_unit = std::pow(10.0, duckdb_decimal_scale(logical));
    duckdb_destroy_logical_type(&logical);
  }
}

void QueryResult::State::point() {
  rows = duckdb_data_chunk_get_size(chunk);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].vector = duckdb_data_chunk_get_vector(chunk, i);
    columns[i].data = duckdb_vector_get_data(columns[i].vector);
    columns[i].validity = duckdb_vector_get_validity(columns[i].vector);
  }
}

std::size_t QueryResult::State::textBytes(duckdb_data_chunk of) const {
  const std::size_t count = duckdb_data_chunk_get_size(of);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].type != DUCKDB_TYPE_VARCHAR) continue;
    duckdb_vector vector = duckdb_data_chunk_get_vector(of, i);
    const void* data = duckdb_vector_get_data(vector);
    const std::uint64_t* validity = duckdb_vector_get_validity(vector);
    for (std::size_t row = 0; row < count; ++row) {
      if (validAt(validity, row)) bytes += textAt(data, row).size();
    }
  }
  return bytes;
}

QueryResult::QueryResult(std::unique_ptr<State> state) : state_(opaque(std::move(state))) {}

Result<QueryResult> QueryResult::of(Engine& engine, _duckdb_prepared_statement* statement) {
  auto state = std::make_unique<State>(engine);
  if (duckdb_execute_prepared_streaming(statement, &state->result) != DuckDBSuccess) {
    return state->error();
  }
  state->readTypes();
  return QueryResult(std::move(state));
}

Result<void> QueryResult::executeOnly(Engine& engine,
                                      _duckdb_connection* connection,
                                      const char* sql) {
  State state(engine);
  if (duckdb_query(connection, sql, &state.result) != DuckDBSuccess) return state.error();
  return {};
}

Result<bool> QueryResult::State::fetch() {
  while (true) {
    duckdb_data_chunk next = duckdb_fetch_chunk(result);
    if (next == nullptr) {
      const char* message = duckdb_result_error(&result);
      if (message != nullptr && *message != '\0') return error();
      return false;
    }
    if (duckdb_data_chunk_get_size(next) > 0) {
      ahead.push_back(next);
      return true;
    }
    duckdb_destroy_data_chunk(&next);
  }
}

Result<bool> QueryResult::readAhead(std::size_t rows, std::size_t bytes) {
  std::size_t have_rows = 0;
  std::size_t have_bytes = 0;
  while (have_rows < rows && have_bytes < bytes) {
    if (!TRY(state_->fetch())) return true;
    have_rows += duckdb_data_chunk_get_size(state_->ahead.back());
    have_bytes += state_->textBytes(state_->ahead.back());
  }
  return false;
}

Result<bool> QueryResult::nextChunk() {
  if (state_->chunk != nullptr) duckdb_destroy_data_chunk(&state_->chunk);
  if (state_->ahead.empty()) {
    Result<bool> more = state_->fetch();
    if (!more || !*more) return more;
  }
  state_->chunk = state_->ahead.front();
  state_->ahead.pop_front();
  state_->point();
  return true;
}

std::size_t QueryResult::rows() const { return state_->rows; }

bool QueryResult::isNull(std::size_t column, std::size_t row) const {
  return !validAt(state_->columns[column].validity, row);
}

std::int64_t QueryResult::integer(std::size_t column, std::size_t row) const {
  const View& view = state_->columns[column];
  return integerOf(view.type, view, row);
}

double QueryResult::real(std::size_t column, std::size_t row) const {
  return realOf(state_->columns[column], row);
}

bool QueryResult::boolean(std::size_t column, std::size_t row) const {
  const View& view = state_->columns[column];
  if (view.type != DUCKDB_TYPE_BOOLEAN) failWrongType();
  return at<bool>(view, row);
}

Timestamp QueryResult::time(std::size_t column, std::size_t row) const {
  const View& view = state_->columns[column];
  const auto raw = at<std::int64_t>(view, row);
  switch (view.type) {
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return timestampOfMicros(raw);
    case DUCKDB_TYPE_TIMESTAMP_S:
      return timestampOfMicros(raw * 1'000'000);
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return timestampOfMicros(raw * 1'000);
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return timestampOfMicros(raw / 1'000);
    default:
      failWrongType();
  }
}

std::string_view QueryResult::text(std::size_t column, std::size_t row) const {
  const View& view = state_->columns[column];
  if (!validAt(view.validity, row)) return {};
  if (view.type != DUCKDB_TYPE_VARCHAR) failWrongType();
  return textAt(view.data, row);
}

std::vector<std::string> QueryResult::texts(std::size_t column, std::size_t row) const {
  const View& view = state_->columns[column];
  if (!validAt(view.validity, row)) return {};
  if (view.type != DUCKDB_TYPE_LIST) failWrongType();
  const auto entry = at<duckdb_list_entry>(view, row);
  duckdb_vector child = duckdb_list_vector_get_child(view.vector);
  const void* data = duckdb_vector_get_data(child);
  const std::uint64_t* validity = duckdb_vector_get_validity(child);
  std::vector<std::string> texts;
  texts.reserve(entry.length);
  for (std::size_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    texts.emplace_back(validAt(validity, i) ? textAt(data, i) : std::string_view());
  }
  return texts;
}

}  // namespace spindle::columnar
