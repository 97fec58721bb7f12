#include <utility>

#include "columnar/store/cursor_source.h"
#include "columnar/store/snapshot.h"

namespace spindle::columnar {

namespace {

// A result of up to this size is read completely at once, so that it does not block checkpoints.
constexpr std::size_t kRowsAhead = 2048;
constexpr std::size_t kBytesAhead = 4UL << 20;

}  // namespace

using std::chrono::steady_clock;

template <class Work>
auto Cursor::Source::timed(Work work) -> decltype(work()) {
  const auto begin = steady_clock::now();
  auto result = [&, this] {
    const Watchdog::Watch watch(watchdog_, connection_, begin + time_left_);
    return work();
  }();
  time_left_ -= steady_clock::now() - begin;
  return result;
}

Cursor::Source::~Source() {
  if (!pass_) return;
  connection_.interrupt();
  answer_.reset();
  // DuckDB releases the tables that a statement reads only when the next statement begins.
  if (const Result<void> let_go = connection_.execute("SELECT 1"); !let_go) {
    // The end of the snapshot releases them too.
  }
}

Result<void> Cursor::Source::run(SqlView sql, const std::vector<Value>& params) {
  pass_.emplace(gate_);
  return timed([&, this] { return start(sql, params); });
}

Result<void> Cursor::Source::start(SqlView sql, const std::vector<Value>& params) {
  Statement statement = TRY(connection_.prepare(sql));
  statement_.emplace(std::move(statement));
  QueryResult answer = TRY(statement_->run(params));
  answer_.emplace(std::move(answer));
  if (TRY(answer_->readAhead(kRowsAhead, kBytesAhead))) pass_.reset();
  return {};
}

Result<bool> Cursor::Source::next() {
  if (++row_ < rows_) return true;
  Result<bool> more = timed([this] { return answer_->nextChunk(); });
  row_ = 0;
  rows_ = more && *more ? answer_->rows() : 0;
  if (rows_ == 0) pass_.reset();
  return more;
}

Cursor::Cursor(std::unique_ptr<Source> source) : source_(opaque(std::move(source))) {}

Result<bool> Cursor::next() { return source_->next(); }

bool Cursor::isNull(std::size_t column) const {
  return source_->answer().isNull(column, source_->row());
}

std::int64_t Cursor::integer(std::size_t column) const {
  return source_->answer().integer(column, source_->row());
}

double Cursor::real(std::size_t column) const {
  return source_->answer().real(column, source_->row());
}

bool Cursor::boolean(std::size_t column) const {
  return source_->answer().boolean(column, source_->row());
}

Timestamp Cursor::time(std::size_t column) const {
  return source_->answer().time(column, source_->row());
}

std::string_view Cursor::text(std::size_t column) const {
  return source_->answer().text(column, source_->row());
}

std::vector<std::string> Cursor::texts(std::size_t column) const {
  return source_->answer().texts(column, source_->row());
}

}  // namespace spindle::columnar
