#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "columnar/changes/change.h"
#include "columnar/store/store.h"
#include "tracing/calls/otel_resource.h"

namespace spindle::tracing {

/// Returns the columnar family of resources: one row per digest and partition.
columnar::Family otelResourceFamily();

/// The resources that one change refers to. A change that stores spans or calls also puts their
/// resources, so that a stored reference always has its resource. Not thread-safe.
class OtelResourceWrites {
 public:
  OtelResourceWrites(columnar::FamilyId family, std::string_view project)
      : family_(family), project_(project) {}

  /// Ignores null and repeated resources.
  void add(const OtelResourcePtr& resource);

  /// Appends the keys that Change::wants() must return.
  void addKeys(std::vector<columnar::RowKey>& keys) const;

  /// Puts the resources that the project lacks, or has not seen for kRefreshAfter.
  void plan(columnar::Plan& plan) const;

  /// Returns their approximate size in the journal.
  std::size_t bytes() const;

 private:
  const columnar::FamilyId family_;
  const std::string project_;
  std::unordered_map<std::string, OtelResourcePtr> by_digest_;
};

/// Returns the JSON of resources of a project by digest; omits unknown ones.
Result<std::unordered_map<std::string, std::string>> readOtelResources(
    columnar::Snapshot& snapshot,
    columnar::FamilyId family,
    std::string_view project,
    const std::vector<std::string>& digests);

/// A column of a family that contains references to resources.
struct OtelResourceReference {
  columnar::FamilyId family = 0;
  SqlName column;
};

/// Removes the resources of every project that no row refers to and that no request contained in
/// the day before `now`. Blocks. Safe with concurrent writers: a write that finds a resource
/// without putting it again proves that the resource was seen within that day.
/// @return the number of removed resources; the errors of the store.
Result<std::int64_t> removeUnusedOtelResources(columnar::Store& store,
                                               columnar::FamilyId family,
                                               const std::vector<OtelResourceReference>& references,
                                               Timestamp now);

}  // namespace spindle::tracing
