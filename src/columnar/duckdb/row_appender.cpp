#include "columnar/duckdb/row_appender.h"

#include <utility>
#include <variant>
#include <vector>

#include <duckdb.h>

namespace spindle::columnar {
namespace {

void setNull(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

template <class T>
void setAt(duckdb_vector vector, idx_t row, T value) {
  static_cast<T*>(duckdb_vector_get_data(vector))[row] = value;
}

/// Writes one value into a vector.
struct Cell {
  duckdb_vector vector;
  idx_t row;

  void operator()(std::monostate) const { setNull(vector, row); }
  void operator()(std::int64_t number) const { setAt(vector, row, number); }
  void operator()(double number) const { setAt(vector, row, number); }
  void operator()(bool truth) const { setAt(vector, row, truth); }
  void operator()(Timestamp time) const { setAt(vector, row, microsOf(time)); }
  void operator()(const std::string& text) const {
    duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
  }
  void operator()(const std::vector<std::string>& texts) const {
    const idx_t begin = duckdb_list_vector_get_size(vector);
    duckdb_list_vector_reserve(vector, begin + texts.size());
    duckdb_vector child = duckdb_list_vector_get_child(vector);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      duckdb_vector_assign_string_element_len(child, begin + i, texts[i].data(), texts[i].size());
    }
    duckdb_list_vector_set_size(vector, begin + texts.size());
    setAt(vector, row, duckdb_list_entry{begin, texts.size()});
  }
};

}  // namespace

struct RowAppender::State {
  explicit State(Engine& engine_of_it) : engine(engine_of_it) {}
  ~State() {
    if (chunk != nullptr) duckdb_destroy_data_chunk(&chunk);
    duckdb_appender_destroy(&appender);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void makeChunk() {
    std::vector<duckdb_logical_type> types;
    for (std::size_t i = 0; i < duckdb_appender_column_count(appender); ++i) {
      types.push_back(duckdb_appender_column_type(appender, i));
    }
    chunk = duckdb_create_data_chunk(types.data(), types.size());
    for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
    for (std::size_t i = 0; i < types.size(); ++i) {
      vectors.push_back(duckdb_data_chunk_get_vector(chunk, i));
    }
  }

  Error error() const {
    duckdb_error_data problem = duckdb_appender_error_data(appender);
    const char* message = duckdb_error_data_message(problem);
    Error translated = engine.errorOf(duckdb_error_data_error_type(problem),
                                      message == nullptr ? "unknown" : message);
    duckdb_destroy_error_data(&problem);
    return translated;
  }

  Engine& engine;
  duckdb_appender appender = nullptr;
  duckdb_data_chunk chunk = nullptr;
  std::vector<duckdb_vector> vectors;
  idx_t rows = 0;
};

RowAppender::RowAppender(std::unique_ptr<State> state) : state_(opaque(std::move(state))) {}

Result<RowAppender> RowAppender::open(Connection& connection,
                                      const std::string& table,
                                      Catalog catalog) {
  auto state = std::make_unique<State>(connection.engine());
  const char* const name = catalog == Catalog::kRecent ? "memory" : "stored";
  if (duckdb_appender_create_ext(connection.handle(), name, "main", table.c_str(),
                                 &state->appender) != DuckDBSuccess) {
    return state->error();
  }
  state->makeChunk();
  return RowAppender(std::move(state));
}

Result<void> RowAppender::add(const Row& row, std::initializer_list<std::int64_t> numbers) {
  std::size_t column = 0;
  for (const Value& value : row) std::visit(Cell{state_->vectors[column++], state_->rows}, value);
  for (const std::int64_t number : numbers) setAt(state_->vectors[column++], state_->rows, number);
  if (++state_->rows < duckdb_vector_size()) return {};
  return appendChunk();
}

Result<void> RowAppender::appendChunk() {
  duckdb_data_chunk_set_size(state_->chunk, state_->rows);
  state_->rows = 0;
  const duckdb_state passed = duckdb_append_data_chunk(state_->appender, state_->chunk);
  duckdb_data_chunk_reset(state_->chunk);
  if (passed != DuckDBSuccess) return state_->error();
  return {};
}

Result<void> RowAppender::flush() {
  if (state_->rows > 0) {
    TRY(appendChunk());
  }
  if (duckdb_appender_flush(state_->appender) != DuckDBSuccess) return state_->error();
  return {};
}

}  // namespace spindle::columnar
