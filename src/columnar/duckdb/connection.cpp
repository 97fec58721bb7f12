#include "columnar/duckdb/connection.h"

#include <utility>
#include <variant>

#include <duckdb.h>

#include "columnar/journal/utf8.h"

namespace spindle::columnar {
namespace {

class OwnedValue {
 public:
  explicit OwnedValue(duckdb_value value) : value_(value) {}
  ~OwnedValue() { duckdb_destroy_value(&value_); }
  OwnedValue(OwnedValue&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  OwnedValue(const OwnedValue&) = delete;
  OwnedValue& operator=(const OwnedValue&) = delete;
  OwnedValue& operator=(OwnedValue&&) = delete;

  duckdb_value get() const { return value_; }

 private:
  duckdb_value value_;
};

OwnedValue listOf(duckdb_type type, const std::vector<OwnedValue>& items) {
  std::vector<duckdb_value> values;
  values.reserve(items.size() + 1);  // DuckDB requires a pointer even for an empty list
  for (const OwnedValue& item : items) values.push_back(item.get());
  duckdb_logical_type logical = duckdb_create_logical_type(type);
  OwnedValue list(duckdb_create_list_value(logical, values.data(), values.size()));
  duckdb_destroy_logical_type(&logical);
  return list;
}

constexpr int kRunsOfPlan = 100;

/// Binds one parameter according to its type.
struct Binder {
  duckdb_prepared_statement statement;
  idx_t position;

  duckdb_state operator()(std::monostate) const { return duckdb_bind_null(statement, position); }
  duckdb_state operator()(std::int64_t number) const {
    return duckdb_bind_int64(statement, position, number);
  }
  duckdb_state operator()(double number) const {
    return duckdb_bind_double(statement, position, number);
  }
  duckdb_state operator()(bool truth) const {
    return duckdb_bind_boolean(statement, position, truth);
  }
  duckdb_state operator()(Timestamp time) const {
    return duckdb_bind_timestamp(statement, position, duckdb_timestamp{microsOf(time)});
  }
  duckdb_state operator()(const std::string& text) const {
    return duckdb_bind_varchar_length(statement, position, text.data(), text.size());
  }
  duckdb_state operator()(const std::vector<std::string>& texts) const {
    std::vector<OwnedValue> items;
    items.reserve(texts.size());
    for (const std::string& text : texts) {
      items.emplace_back(duckdb_create_varchar_length(text.data(), text.size()));
    }
    return duckdb_bind_value(statement, position, listOf(DUCKDB_TYPE_VARCHAR, items).get());
  }
};

}  // namespace

struct Statement::State {
  State(Engine& engine_of_it, _duckdb_connection* connection_of_it, SqlView text)
      : engine(engine_of_it), connection(connection_of_it), sql(text.text()) {}
  ~State() { duckdb_destroy_prepare(&statement); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Error error() const {
    const char* message = duckdb_prepare_error(statement);
    return engine.errorOf(DUCKDB_ERROR_INVALID, message == nullptr ? "unknown" : message);
  }

  /// Counts a run and prepares the statement again after some runs. Each run adds an operator and
  /// its buffers to the plan, and DuckDB frees them only with the plan. If preparing fails, the old
  /// plan stays.
  void countRun() {
    if (++runs < kRunsOfPlan) return;
    duckdb_prepared_statement fresh = nullptr;
    if (duckdb_prepare(connection, sql.c_str(), &fresh) == DuckDBSuccess) {
      std::swap(statement, fresh);
      runs = 0;
    }
    duckdb_destroy_prepare(&fresh);
  }

  Engine& engine;
  _duckdb_connection* const connection;
  const std::string sql;
  duckdb_prepared_statement statement = nullptr;
  int runs = 0;
};

Statement::Statement(std::unique_ptr<State> state) : state_(opaque(std::move(state))) {}

Result<QueryResult> Statement::run(const std::vector<Value>& params) {
  state_->countRun();
  if (params.size() != duckdb_nparams(state_->statement)) {
    return Error::internal("DuckDB: wrong number of statement parameters");
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!isText(params[i])) return Error::invalidArgument("A text is not UTF-8.");
    if (std::visit(Binder{state_->statement, i + 1}, params[i]) != DuckDBSuccess) {
      return state_->error();
    }
  }
  return QueryResult::of(state_->engine, state_->statement);
}

Result<QueryResult> Statement::runWith(const std::vector<std::int64_t>& numbers) {
  state_->countRun();
  std::vector<OwnedValue> items;
  items.reserve(numbers.size());
  for (const std::int64_t number : numbers) items.emplace_back(duckdb_create_int64(number));
  const OwnedValue list = listOf(DUCKDB_TYPE_BIGINT, items);
  if (duckdb_bind_value(state_->statement, 1, list.get()) != DuckDBSuccess) return state_->error();
  return QueryResult::of(state_->engine, state_->statement);
}

Connection::Connection(Engine& engine, _duckdb_connection* handle)
    : engine_(engine), handle_(handle) {}

Connection::~Connection() { duckdb_disconnect(&handle_); }

Result<void> Connection::execute(SqlView sql) {
  const std::string text(sql.text());
  return QueryResult::executeOnly(engine_, handle_, text.c_str());
}

Result<Statement> Connection::prepare(SqlView sql) {
  auto state = std::make_unique<Statement::State>(engine_, handle_, sql);
  if (duckdb_prepare(handle_, state->sql.c_str(), &state->statement) != DuckDBSuccess) {
    return state->error();
  }
  return Statement(std::move(state));
}

Result<QueryResult> Connection::query(SqlView sql, const std::vector<Value>& params) {
  Statement statement = TRY(prepare(sql));
  return statement.run(params);
}

Result<std::int64_t> Connection::change(SqlView sql, const std::vector<Value>& params) {
  QueryResult result = TRY(query(sql, params));
  const bool counted = TRY(result.nextChunk());
  return counted ? result.integer(0, 0) : 0;
}

void Connection::interrupt() { duckdb_interrupt(handle_); }

Transaction::~Transaction() {
  if (!open_) return;
  if (const Result<void> undone = connection_.execute("ROLLBACK"); !undone) {
    // Nothing was committed. If the connection is unusable, its next use fails.
  }
}

Result<void> Transaction::begin() {
  Result<void> begun = connection_.execute("BEGIN");
  open_ = begun.has_value();
  return begun;
}

Result<void> Transaction::commit() {
  open_ = false;
  return connection_.execute("COMMIT");
}

}  // namespace spindle::columnar
