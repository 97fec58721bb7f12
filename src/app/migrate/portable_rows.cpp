#include "app/migrate/portable_rows.h"

#include <utility>
#include <variant>

#include "app/traces/columnar_families.h"
#include "tracing/calls/call_column.h"
#include "tracing/calls/otel_resource.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::app {
namespace {

using tracing::CallColumn;

constexpr std::size_t kCachedBytes = 8UL << 20;

columnar::Value& valueOf(columnar::Row& call, CallColumn column) {
  return call[static_cast<std::size_t>(column)];
}

}  // namespace

PortableRows::PortableRows(columnar::Store& store, std::vector<clickhouse::RowTable> tables)
    : store_(store), tables_(std::move(tables)) {}

Result<void> PortableRows::convert(columnar::FamilyId family,
                                   std::string_view project,
                                   columnar::Row& row) {
  if (family == kCalls) TRY(includeResource(project, row));
  tables_[family].normalize(row);
  return {};
}

Result<void> PortableRows::includeResource(std::string_view project, columnar::Row& call) {
  columnar::Value& digest = valueOf(call, CallColumn::kOtelResource);
  const auto* text = std::get_if<std::string>(&digest);
  if (text == nullptr) return {};
  if (auto* dump = std::get_if<std::string>(&valueOf(call, CallColumn::kOtelDump))) {
    const std::string_view json = TRY(resource(project, *text));
    *dump = tracing::withResource(*dump, json);
  }
  digest = columnar::Value();
  return {};
}

Result<std::string_view> PortableRows::resource(std::string_view project,
                                                const std::string& digest) {
  if (project_ != project || resource_bytes_ > kCachedBytes) {
    resources_.clear();
    resource_bytes_ = 0;
    project_ = project;
  }
  auto known = resources_.find(digest);
  if (known == resources_.end()) {
    columnar::Snapshot snapshot = TRY(store_.snapshot());
    std::unordered_map<std::string, std::string> found =
        TRY(tracing::readOtelResources(snapshot, kOtelResources, project, {digest}));
    const auto read = found.find(digest);
    std::string json(read == found.end() ? tracing::kMissingResource
                                         : std::string_view(read->second));
    resource_bytes_ += json.size();
    known = resources_.emplace(digest, std::move(json)).first;
  }
  return std::string_view(known->second);
}

}  // namespace spindle::app
