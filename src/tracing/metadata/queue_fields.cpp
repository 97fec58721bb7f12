#include "tracing/metadata/queue_fields.h"

#include <string>
#include <utility>
#include <vector>

#include "tracing/metadata/annotation_item_repository.h"

namespace spindle::tracing {
namespace {

class QueueFields final : public query::Fields {
 public:
  explicit QueueFields(std::vector<QueueMembership> memberships) {
    for (QueueMembership& membership : memberships) {
      calls_.push_back(std::move(membership.call_id));
      queues_.push_back(std::move(membership.queue_id));
    }
  }

  Result<query::Field> resolve(std::string_view path) const override {
    if (path != "annotation_queue_items.queue_id") {
      return Error(
          ErrorCode::kUnprocessable,
          "Field " + std::string(path) + " is not allowed. Use annotation_queue_items.queue_id.");
    }
    query::Field field;
    field.sql = query::Sql("f.queue_id");
    query::RelatedRows rows;
    rows.source.add("FROM (SELECT unnest(CAST(")
        .param(calls_)
        .add(" AS VARCHAR[])) AS call_id, unnest(CAST(")
        .param(queues_)
        .add(" AS VARCHAR[])) AS queue_id) AS f WHERE f.call_id = c.id");
    rows.newest = SqlText("f.queue_id");
    field.rows = std::move(rows);
    return field;
  }

 private:
  std::vector<std::string> calls_;
  std::vector<std::string> queues_;
};

}  // namespace

Result<std::unique_ptr<query::Fields>> queueFields(AnnotationItemRepository& items,
                                                   std::string_view project_id) {
  std::vector<QueueMembership> memberships = TRY(items.memberships(project_id));
  return std::unique_ptr<query::Fields>(std::make_unique<QueueFields>(std::move(memberships)));
}

}  // namespace spindle::tracing
