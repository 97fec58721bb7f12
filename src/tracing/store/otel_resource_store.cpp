#include "tracing/store/otel_resource_store.h"

#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "query/sql.h"

namespace spindle::tracing {
namespace {

using columnar::ColumnType, columnar::Cursor, columnar::Row;
using query::Sql;

/// Columns in the order of the family. Append new ones at the end only.
constexpr auto kResourceColumns = std::to_array<columnar::Column>({
    {"digest", ColumnType::kText},
    {"digest_number", ColumnType::kInteger},
    {"seen_at", ColumnType::kTime},
    {"json", ColumnType::kText},
});
constexpr std::size_t kDigest = 0;
constexpr std::size_t kDigestNumber = 1;
constexpr std::size_t kSeenAt = 2;

/// A resource in use is put again after this time. Half of kUnusedAfter, so that a resource that a
/// write relies on is never old enough to be removed.
constexpr std::chrono::hours kRefreshAfter{12};
constexpr std::chrono::hours kUnusedAfter{24};
/// Maximum number of resources removed by one change.
constexpr std::size_t kRemovedAtOnce = 1000;
/// Size in the journal in addition to the JSON.
constexpr std::size_t kRowOverhead = 128;

/// Returns 24 bits of the digest, as for trace ids: compresses well, with few collisions.
std::int64_t digestNumberOf(std::string_view digest) {
  std::int64_t number = 0;
  for (const char c : digest.substr(0, 6)) {
    const int digit = c >= 'a' ? c - 'a' + 10 : c - '0';
    number = number * 16 + (digit & 15);
  }
  return number;
}

Timestamp seenAt(const Row& row) {
  const auto* seen = std::get_if<Timestamp>(&row[kSeenAt]);
  return seen == nullptr ? Timestamp() : *seen;
}

/// Erases resources unless a request has contained them in the meantime.
class RemovalChange final : public columnar::Change {
 public:
  RemovalChange(columnar::FamilyId family,
                std::string_view project,
                std::vector<std::string> digests,
                Timestamp before)
      : family_(family), project_(project), digests_(std::move(digests)), before_(before) {}

  std::vector<columnar::RowKey> wants() const override {
    std::vector<columnar::RowKey> keys;
    keys.reserve(digests_.size());
    for (const std::string& digest : digests_) keys.push_back({family_, project_, digest});
    return keys;
  }

  Result<void> plan(columnar::Plan& plan) override {
    for (const std::string& digest : digests_) {
      const Row* known = plan.find(family_, project_, digest);
      if (known == nullptr || seenAt(*known) >= before_) continue;
      plan.erase(family_, project_, digest);
      ++removed_;
    }
    return {};
  }

  std::int64_t removed() const { return removed_; }

 private:
  const columnar::FamilyId family_;
  const std::string project_;
  const std::vector<std::string> digests_;
  const Timestamp before_;
  std::int64_t removed_ = 0;
};

Result<std::vector<std::string>> unusedIn(columnar::Store& store,
                                          columnar::FamilyId family,
                                          std::string_view project,
                                          const std::vector<OtelResourceReference>& references,
                                          Timestamp before) {
  columnar::Snapshot snapshot = TRY(store.snapshot());
  Sql sql("SELECT c.digest FROM ");
  sql.add(snapshot.from(family, project)).add(" AS c WHERE c.seen_at < ").param(before);
  for (const OtelResourceReference& reference : references) {
    sql.add(" AND NOT EXISTS (SELECT 1 FROM ").add(snapshot.from(reference.family, project));
    sql.add(" AS x WHERE x.").add(reference.column).add(" = c.digest)");
  }
  sql.add(" LIMIT ").param(static_cast<std::int64_t>(kRemovedAtOnce));
  return collectRows(snapshot.query(sql.text, sql.params),
                     [](const Cursor& row) { return std::string(row.text(0)); });
}

}  // namespace

columnar::Family otelResourceFamily() {
  columnar::Family family;
  family.name = "otel_resources";
  family.columns.assign(kResourceColumns.begin(), kResourceColumns.end());
  family.key = kDigest;
  family.order = kSeenAt;
  family.key_number = columnar::KeyNumber{kDigestNumber, digestNumberOf};
  return family;
}

void OtelResourceWrites::add(const OtelResourcePtr& resource) {
  if (resource != nullptr) by_digest_.emplace(resource->digest, resource);
}

void OtelResourceWrites::addKeys(std::vector<columnar::RowKey>& keys) const {
  for (const auto& [digest, resource] : by_digest_) keys.push_back({family_, project_, digest});
}

void OtelResourceWrites::plan(columnar::Plan& plan) const {
  for (const auto& [digest, resource] : by_digest_) {
    const Row* known = plan.find(family_, project_, digest);
    if (known != nullptr && resource->seen_at - seenAt(*known) < kRefreshAfter) continue;
    plan.put(family_, project_,
             {digest, digestNumberOf(digest), resource->seen_at, resource->json});
  }
}

std::size_t OtelResourceWrites::bytes() const {
  std::size_t sum = 0;
  for (const auto& [digest, resource] : by_digest_) sum += kRowOverhead + resource->json.size();
  return sum;
}

Result<std::unordered_map<std::string, std::string>> readOtelResources(
    columnar::Snapshot& snapshot,
    columnar::FamilyId family,
    std::string_view project,
    const std::vector<std::string>& digests) {
  std::unordered_map<std::string, std::string> found;
  if (digests.empty()) return found;
  Sql sql("SELECT c.digest, c.json FROM ");
  sql.add(snapshot.from(family, project)).add(" AS c WHERE c.digest IN (SELECT unnest(");
  sql.param(digests).add("))");
  TRY(forEachRow(snapshot.query(sql.text, sql.params),
                 [&found](const Cursor& row) { found.emplace(row.text(0), row.text(1)); }));
  return found;
}

Result<std::int64_t> removeUnusedOtelResources(columnar::Store& store,
                                               columnar::FamilyId family,
                                               const std::vector<OtelResourceReference>& references,
                                               Timestamp now) {
  const std::vector<std::string> projects = TRY(store.partitions());
  const Timestamp before = now - kUnusedAfter;
  std::int64_t removed = 0;
  for (const std::string& project : projects) {
    std::vector<std::string> unused = TRY(unusedIn(store, family, project, references, before));
    if (unused.empty()) continue;
    RemovalChange change(family, project, std::move(unused), before);
    TRY(store.write(change, kRowOverhead * kRemovedAtOnce));
    removed += change.removed();
  }
  return removed;
}

}  // namespace spindle::tracing
