#include "columnar/duckdb/reader_pool.h"

#include <stdexcept>
#include <utility>

namespace spindle::columnar {
namespace {

using std::chrono::steady_clock;

Statement prepared(Connection& connection, SqlView sql) {
  Result<Statement> statement = connection.prepare(sql);
  if (!statement) throw std::runtime_error(statement.error().message());
  return *std::move(statement);
}

Result<void> runThrough(Statement& statement) {
  QueryResult result = TRY(statement.run());
  while (TRY(result.nextChunk())) {
  }
  return {};
}

}  // namespace

// Any table of a catalog will do: the first access fixes the view of the whole catalog.
Reader::Reader(Engine& engine)
    : connection_(engine.connect()),
      begin_(prepared(*connection_, "BEGIN")),
      end_(prepared(*connection_, "ROLLBACK")),
      fix_recent_(prepared(*connection_, "SELECT one FROM memory.main.anchor")),
      fix_stored_(prepared(*connection_, "SELECT value FROM stored.main.store_state LIMIT 1")) {}

Result<void> Reader::begin() {
  TRY(runThrough(begin_));
  return runThrough(fix_recent_);
}

Result<void> Reader::fixStored() { return runThrough(fix_stored_); }

bool Reader::end() { return runThrough(end_).has_value(); }

Result<std::unique_ptr<Reader>> ReaderPool::borrow(std::chrono::milliseconds timeout) {
  std::unique_ptr<Reader> reader;
  {
    const MutexLock lock(mutex_);
    const auto until = steady_clock::now() + timeout;
    while (free_places_ == 0) {
      const auto left = until - steady_clock::now();
      if (left.count() <= 0) return Error::unavailable("Too many queries are running; try again.");
      freed_.waitFor(mutex_, left);
    }
    --free_places_;
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (reader != nullptr) return reader;
  try {
    return std::make_unique<Reader>(engine_);
  } catch (const std::runtime_error&) {
    giveBack(nullptr);
    return Error::unavailable("The trace store cannot be read now; try again.");
  }
}

void ReaderPool::giveBack(std::unique_ptr<Reader> reader) {
  const MutexLock lock(mutex_);
  if (reader != nullptr) idle_.push_back(std::move(reader));
  ++free_places_;
  freed_.notifyOne();
}

}  // namespace spindle::columnar
