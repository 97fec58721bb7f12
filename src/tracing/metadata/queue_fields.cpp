#include "tracing/metadata/queue_fields.h"

#include <string>
#include <utility>
#include <vector>

#include "tracing/metadata/annotation_item_repository.h"

namespace spindle::tracing {
namespace {

class QueueFields final : public query::Fields {
 public:
  QueueFields(const std::vector<QueueMembership>& memberships, const query::Dialect& dialect)
      : dialect_(dialect) {
    for (const QueueMembership& membership : memberships) {
      calls_.push_back(membership.call_id);
      queues_.push_back(membership.queue_id);
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
    rows.from =
        dialect_.tableOf({{"call_id", query::FieldKind::kText, query::Sql().param(calls_)},
                          {"queue_id", query::FieldKind::kText, query::Sql().param(queues_)}});
    rows.from.add(" AS f");
    rows.condition = query::Sql("TRUE");
    rows.key = SqlText("f.call_id");
    rows.owner = SqlText("c.id");
    rows.newest = SqlText("f.queue_id");
    field.rows = std::move(rows);
    return field;
  }

  const query::Dialect& dialect() const override { return dialect_; }

 private:
  const query::Dialect& dialect_;
  std::vector<std::string> calls_;
  std::vector<std::string> queues_;
};

}  // namespace

Result<std::unique_ptr<query::Fields>> queueFields(AnnotationItemRepository& items,
                                                   std::string_view project_id,
                                                   const query::Dialect& dialect) {
  const std::vector<QueueMembership> memberships = TRY(items.memberships(project_id));
  return std::unique_ptr<query::Fields>(std::make_unique<QueueFields>(memberships, dialect));
}

}  // namespace spindle::tracing
