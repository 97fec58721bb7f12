#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "columnar/store/store.h"
#include "query/field.h"
#include "tracing/store/call_changes.h"
#include "tracing/store/call_store.h"
#include "tracing/store/ref_values.h"

namespace spindle::tracing {

/// Data outside of the calls that queries can refer to. All thread-safe.
struct CallJoins {
  RefValues& ref_values;
  /// Returns the `feedback.` fields of the calls `c` of one project.
  std::function<std::unique_ptr<query::Fields>(const columnar::Snapshot&, std::string_view project)>
      feedback_fields = {};
  /// Returns the field `annotation_queue_items.queue_id` of the calls `c` of one project.
  std::function<Result<std::unique_ptr<query::Fields>>(std::string_view project)> queue_fields = {};
};

/// Stores calls in the embedded columnar store.
class ColumnarCallStore final : public CallStore {
 public:
  /// `family` is the index of callFamily() in the store, `resources` that of otelResourceFamily().
  /// The store and everything that the joins refer to must outlive this object.
  ColumnarCallStore(columnar::Store& store,
                    columnar::FamilyId family,
                    columnar::FamilyId resources,
                    CallJoins joins,
                    CallChanges changes = {})
      : store_(store),
        family_(family),
        resources_(resources),
        joins_(std::move(joins)),
        changes_(std::move(changes)) {}

  Result<void> write(std::string_view project_id, std::vector<CallPart> parts) override;
  Result<std::unique_ptr<CallView>> view(const ProjectScope& project) override;
  Result<std::int64_t> removeExpired(Timestamp now) override;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
  const columnar::FamilyId resources_;
  const CallJoins joins_;
  const CallChanges changes_;
};

}  // namespace spindle::tracing
