#include "tracing/clickhouse/call_locks.h"

#include <algorithm>
#include <string>

#include "base/core/little_endian.h"
#include "base/crypto/crypto.h"
#include "storage/database/database.h"

namespace spindle::tracing {
namespace {

/// A write of more calls locks their project instead: PostgreSQL has place for about 6,400 locks
/// (max_locks_per_transaction), which all servers share.
constexpr std::size_t kMaxLocks = 128;

/// Returns the statement that takes locks one after the other.
SqlText lockInOrder(const std::vector<std::int64_t>& numbers) {
  SqlText list;
  for (const std::int64_t number : numbers)
    list += (list.empty() ? SqlText() : SqlText(", ")) + SqlText::number(number);
  return "SELECT 1 FROM (SELECT pg_advisory_xact_lock(n) FROM (SELECT n FROM unnest(CAST(ARRAY[" +
         list + "] AS bigint[])) AS t(n) ORDER BY n) AS s) AS locked";
}

}  // namespace

std::vector<std::int64_t> lockNumbers(std::string_view project_id,
                                      const std::vector<std::string>& ids) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(ids.size());
  for (const std::string& id : ids) {
    // The line break separates the two, since neither contains one.
    const Sha256 digest = sha256("call\n" + std::string(project_id) + "\n" + id);
    const std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
    numbers.push_back(static_cast<std::int64_t>(littleEndianAt<std::uint64_t>(bytes, 0)));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Result<void> ProcessCallLocks::run(std::string_view project_id,
                                   const std::vector<std::string>& ids,
                                   const std::function<Result<void>()>& work) {
  const std::vector<std::int64_t> numbers = lockNumbers(project_id, ids);
  {
    const MutexLock lock(mutex_);
    for (const std::int64_t number : numbers) {
      while (taken_.contains(number)) released_.wait(mutex_);
      taken_.insert(number);
    }
  }
  Result<void> result = work();
  const MutexLock lock(mutex_);
  for (const std::int64_t number : numbers) taken_.erase(number);
  released_.notifyAll();
  return result;
}

Result<void> PostgresCallLocks::run(std::string_view project_id,
                                    const std::vector<std::string>& ids,
                                    const std::function<Result<void>()>& work) {
  const std::vector<std::int64_t> numbers = lockNumbers(project_id, ids);
  const std::int64_t project = lockNumbers(project_id, {std::string()}).front();
  return database_.write([&](storage::Session& session) -> Result<void> {
    // PostgreSQL releases the locks with the transaction, also if this process ends.
    if (numbers.size() > kMaxLocks) {
      TRY(session.query("SELECT 1 FROM (SELECT pg_advisory_xact_lock(?)) AS locked", {project}));
      return work();
    }
    TRY(session.query("SELECT 1 FROM (SELECT pg_advisory_xact_lock_shared(?)) AS locked",
                      {project}));
    TRY(session.query(lockInOrder(numbers)));
    return work();
  });
}

}  // namespace spindle::tracing
