#include "tracing/store/dump_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tracing/store/otel_resource_store.h"

namespace spindle::tracing {
namespace {

/// Maximum number of resources fetched by one statement.
constexpr std::size_t kResourcesAtOnce = 16;
constexpr std::size_t kMaxResourceBytes = 8UL << 20;

}  // namespace

std::size_t payloadBytes(const Call& call) {
  std::size_t bytes = 0;
  for (const std::optional<Payload>* payload :
       {&call.attributes, &call.inputs, &call.output, &call.summary, &call.otel_dump}) {
    if (*payload) bytes += (*payload)->size();
  }
  return bytes;
}

DumpReader::DumpReader(columnar::Snapshot& snapshot,
                       columnar::FamilyId family,
                       std::string project,
                       std::unique_ptr<RowReader> rows)
    : snapshot_(snapshot), family_(family), project_(std::move(project)), rows_(std::move(rows)) {}

Result<std::vector<Call>> DumpReader::next() {
  if (at_ == pending_.size()) {
    std::vector<Call> more = TRY(rows_->next());
    pending_ = std::move(more);
    at_ = 0;
  }
  std::vector<Call> batch;
  for (std::size_t bytes = 0; at_ < pending_.size() && bytes < kBatchBytes; ++at_) {
    Call& call = pending_[at_];
    TRY(complete(call));
    bytes += payloadBytes(call);
    batch.push_back(std::move(call));
  }
  return batch;
}

Result<void> DumpReader::complete(Call& call) {
  if (!call.otel_resource) return {};
  if (!resources_.contains(*call.otel_resource)) {
    TRY(fetchResources());
  }
  const auto found = resources_.find(*call.otel_resource);
  if (call.otel_dump) {
    call.otel_dump =
        withResource(*call.otel_dump, found == resources_.end() ? kMissingResource
                                                                : std::string_view(found->second));
  }
  call.otel_resource.reset();
  return {};
}

Result<void> DumpReader::fetchResources() {
  if (resource_bytes_ > kMaxResourceBytes) {
    resources_.clear();
    resource_bytes_ = 0;
  }
  std::vector<std::string> digests;
  for (std::size_t i = at_; i < pending_.size() && digests.size() < kResourcesAtOnce; ++i) {
    const std::optional<std::string>& digest = pending_[i].otel_resource;
    if (digest && !resources_.contains(*digest) &&
        std::find(digests.begin(), digests.end(), *digest) == digests.end())
      digests.push_back(*digest);
  }
  rows_->pause();
  std::unordered_map<std::string, std::string> read =
      TRY(readOtelResources(snapshot_, family_, project_, digests));
  for (auto& [digest, json] : read) resource_bytes_ += json.size();
  resources_.merge(read);
  return {};
}

}  // namespace spindle::tracing
