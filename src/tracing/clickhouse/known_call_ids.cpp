#include "tracing/clickhouse/known_call_ids.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/core/no_blocking.h"
#include "tracing/clickhouse/call_table.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// Ids in one statement.
constexpr std::size_t kKeysAtOnce = 1'000;
/// Bytes of the ids in one statement, unless a single lookup has more.
constexpr std::size_t kKeyBytesAtOnce = 1UL << 20;
/// Statements at the same time.
constexpr std::size_t kLookupsAtOnce = 2;

}  // namespace

/// Ids of one project that a caller waits for.
struct KnownCallIds::Lookup {
  std::string_view project;
  std::unordered_set<std::string_view> ids = {};
  std::size_t bytes = 0;
  std::vector<std::string> known = {};
  std::optional<Error> error = {};
};

/// Lookups that one statement answers.
struct KnownCallIds::Group {
  std::vector<Lookup*> lookups = {};  // of the callers, which wait until `done`
  std::size_t ids = 0;
  std::size_t bytes = 0;
  bool done = false;
  Condition changed = {};
};

Result<std::unordered_set<std::string>> KnownCallIds::find(std::string_view project,
                                                           const std::vector<std::string>& ids) {
  if (NoBlocking::forbids()) return Error::unavailable("ClickHouse may not be waited for here.");
  std::unordered_set<std::string> known;
  for (std::size_t at = 0; at < ids.size();) {
    Lookup lookup{project};
    while (at < ids.size() && lookup.ids.size() < kKeysAtOnce && lookup.bytes < kKeyBytesAtOnce) {
      lookup.bytes += ids[at].size();
      lookup.ids.emplace(ids[at++]);
    }
    join(lookup);
    if (lookup.error) return *std::move(lookup.error);
    for (std::string& id : lookup.known) known.insert(std::move(id));
  }
  return known;
}

void KnownCallIds::join(Lookup& lookup) {
  const MutexLock lock(mutex_);
  const bool fits = open_ && open_->ids + lookup.ids.size() <= kKeysAtOnce &&
                    open_->bytes + lookup.bytes <= kKeyBytesAtOnce;
  if (!fits) open_ = std::make_shared<Group>();
  const std::shared_ptr<Group> group = open_;
  group->lookups.push_back(&lookup);
  group->ids += lookup.ids.size();
  group->bytes += lookup.bytes;
  if (!fits) return lead(group);
  while (!group->done) group->changed.wait(mutex_);
}

void KnownCallIds::lead(const std::shared_ptr<Group>& group) {
  while (running_ >= kLookupsAtOnce) slot_free_.wait(mutex_);
  ++running_;
  if (open_ == group) open_.reset();  // nobody joins from now on
  mutex_.unlock();
  read(*group);
  mutex_.lock();
  --running_;
  slot_free_.notifyOne();
  group->done = true;
  group->changed.notifyAll();
}

void KnownCallIds::read(Group& group) {
  CallKeys keys;
  std::unordered_map<std::string_view, std::vector<Lookup*>> by_project;
  for (Lookup* const lookup : group.lookups) {
    by_project[lookup->project].push_back(lookup);
    for (const std::string_view id : lookup->ids) keys.add(lookup->project, id);
  }
  Sql sql("SELECT DISTINCT r.project_id, r.id FROM calls AS r WHERE ");
  sql.add(haveKeys(std::move(keys)));
  const Result<void> done = forEachRow(client_.query(sql.text, sql.params), [&](const Cursor& row) {
    const auto place = by_project.find(row.text(0));
    if (place == by_project.end()) return;
    for (Lookup* const lookup : place->second) {
      if (lookup->ids.contains(row.text(1))) lookup->known.emplace_back(row.text(1));
    }
  });
  if (done) return;
  for (Lookup* const lookup : group.lookups) lookup->error = done.error();
}

}  // namespace spindle::tracing
