#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "objects/values/ref_conversion.h"
#include "tracing/bulk/bulk_action.h"

namespace spindle::objects {
class ObjectRepository;
class TableRepository;
}  // namespace spindle::objects

namespace spindle::tracing {

class CallStore;

/// The dependencies of DatasetAction. All of them must outlive it and be thread-safe.
struct DatasetPorts {
  CallStore& calls;
  objects::ObjectRepository& objects;
  objects::TableRepository& tables;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
};

/// Adds calls as rows to a dataset. Each batch stores its rows; the end publishes one new version
/// of the dataset with all of them, after the rows of the version that is the latest at that time.
class DatasetAction final : public BulkAction {
 public:
  explicit DatasetAction(DatasetPorts ports) : ports_(std::move(ports)) {}

  std::int64_t maxCalls() const override { return 10'000; }
  std::size_t batchSize() const override { return 100; }
  Result<std::string> prepare(const BulkScope& scope, std::string_view parameters) const override;
  Result<BulkResult> apply(const BulkWork& work,
                           const std::vector<std::string>& call_ids) const override;
  Result<void> finish(const BulkWork& work, const BulkEnd& end) const override;

 private:
  const DatasetPorts ports_;
};

}  // namespace spindle::tracing
