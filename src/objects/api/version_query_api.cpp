#include <algorithm>
#include <memory>

#include "http/router/route_group.h"
#include "objects/api/array_stream.h"
#include "objects/api/list_body.h"
#include "objects/api/name_codecs.h"
#include "objects/api/object_view.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
#include "objects/store/label_repository.h"
#include "objects/store/object_repository.h"

namespace spindle::objects {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::boolean, schema::list, schema::nullable, schema::Record;

constexpr std::size_t kVersionsAtOnce = 32;

struct FilterBody {
  std::optional<Texts> base_object_classes;
  std::optional<Texts> exclude_base_object_classes;
  std::optional<Texts> leaf_object_classes;
  std::optional<Texts> object_ids;
  std::optional<bool> is_op;
  std::optional<bool> latest_only;
  std::optional<Texts> tags;
  std::optional<Texts> aliases;
};

struct ObjectQueryBody : ListBody {
  std::string project_id;
  std::optional<FilterBody> filter;
  std::optional<bool> metadata_only = false;
  std::optional<bool> include_storage_size = false;
  std::optional<bool> include_tags_and_aliases = false;
};

schema::Codec<FilterBody> filterCodec() {
  using F = FilterBody;
  const schema::Codec<std::optional<Texts>> texts =
      nullable(textsCodec(ObjectRepository::kMaxFilterItems));
  return Record<F>("ObjectFilter")
      .optional("base_object_classes", &F::base_object_classes, texts, "Any of these.")
      .optional("exclude_base_object_classes", &F::exclude_base_object_classes, texts,
                "None of these.")
      .optional("leaf_object_classes", &F::leaf_object_classes, texts, "Any of these.")
      .optional("object_ids", &F::object_ids, texts, "Any of these.")
      .optional("is_op", &F::is_op, nullable(boolean()), "Ops only, or everything else only.")
      .optional("latest_only", &F::latest_only, nullable(boolean()))
      .optional("tags", &F::tags, texts, "Any of these.")
      .optional("aliases", &F::aliases, texts, "Any of these; `latest` is one.")
      .codec();
}

schema::Codec<ObjectQueryBody> objectQueryCodec() {
  using B = ObjectQueryBody;
  Record<B> record = projectRecord<B>("ObjectQueryRequest");
  record.optional("filter", &B::filter, nullable(filterCodec()), "All conditions must match.");
  return addListMembers(record, "`object_id` and `created_at`; others are ignored.")
      .optional("metadata_only", &B::metadata_only, nullable(boolean()), "Omit the values.")
      .optional("include_storage_size", &B::include_storage_size, nullable(boolean()))
      .optional("include_tags_and_aliases", &B::include_tags_and_aliases, nullable(boolean()))
      .codec();
}

ObjectFilter filterOf(const FilterBody& body) {
  ObjectFilter filter;
  filter.base_object_classes = body.base_object_classes.value_or(Texts());
  filter.exclude_base_object_classes = body.exclude_base_object_classes.value_or(Texts());
  filter.leaf_object_classes = body.leaf_object_classes.value_or(Texts());
  filter.object_ids = body.object_ids.value_or(Texts());
  filter.is_op = body.is_op;
  filter.latest_only = body.latest_only.value_or(false);
  filter.tags = body.tags.value_or(Texts());
  filter.aliases = body.aliases.value_or(Texts());
  return filter;
}

ObjectQuery objectQueryOf(const ObjectQueryBody& body) {
  ObjectQuery query;
  if (body.filter) query.filter = filterOf(*body.filter);
  body.setPage(query);
  for (const SortBody& sort : body.sortKeys()) {
    if (sort.field == "object_id") {
      query.order.push_back({ObjectOrder::Field::kObjectId, sort.descending()});
    } else if (sort.field == "created_at") {
      query.order.push_back({ObjectOrder::Field::kCreatedAt, sort.descending()});
    }
  }
  return query;
}

/// Streams the versions of a response to the client in batches.
class VersionList {
 public:
  VersionList(const ObjectServices& services,
              CallerProject project,
              const ObjectQueryBody& body,
              wire::Spelling spelling,
              std::vector<ObjectVersion> versions)
      : services_(services),
        project_(std::move(project)),
        with_values_(!body.metadata_only.value_or(false)),
        with_sizes_(body.include_storage_size.value_or(false)),
        with_labels_(body.include_tags_and_aliases.value_or(false)),
        spelling_(spelling),
        versions_(std::move(versions)) {}

  Result<bool> next(json::Writer& items) {
    if (written_ == versions_.size()) return false;
    const std::size_t end = std::min(versions_.size(), written_ + kVersionsAtOnce);
    if (with_values_) {
      TRY(services_.objects.loadValues(versions_, written_, end - written_));
    }
    std::vector<Labels> labels;
    if (with_labels_) {
      const std::vector<ObjectVersion> some(
          versions_.begin() + static_cast<std::ptrdiff_t>(written_),
          versions_.begin() + static_cast<std::ptrdiff_t>(end));
      std::vector<Labels> found = TRY(services_.labels.labelsOf(project_.id, some));
      labels = std::move(found);
    }
    for (std::size_t i = 0; written_ < end; ++i, ++written_) {
      ObjectView view = TRY(objectView(versions_[written_], project_, spelling_));
      if (with_sizes_) view.size_bytes = versions_[written_].size_bytes;
      if (with_labels_) {
        view.tags = std::move(labels[i].tags);
        view.aliases = std::move(labels[i].aliases);
      }
      codec_.write(view, items, spelling_);
      versions_[written_].value = {};
    }
    return true;
  }

 private:
  ObjectServices services_;
  CallerProject project_;
  bool with_values_;
  bool with_sizes_;
  bool with_labels_;
  wire::Spelling spelling_;
  std::vector<ObjectVersion> versions_;
  std::size_t written_ = 0;
  schema::Codec<ObjectView> codec_ = objectViewCodec();
};

Result<Reply<Nothing>> queryObjects(const ObjectServices& services,
                                    const Context& context,
                                    const ObjectQueryBody& body) {
  CallerProject project = TRY(readableProject(services, context, body.project_id));
  TRY(checkPaging(body.limit, body.offset));
  Result<std::vector<ObjectVersion>> versions = std::vector<ObjectVersion>();
  if (project.exists()) versions = services.objects.query(project.id, objectQueryOf(body));
  if (!versions) return std::move(versions).error();
  auto rest = std::make_shared<VersionList>(services, std::move(project), body, context.spelling(),
                                            *std::move(versions));
  return arrayReply("objs", [rest](json::Writer& items) { return rest->next(items); });
}

}  // namespace

void addVersionQueryRoute(ObjectRoutes routes) {
  replyWithArray(routes.post("/objs/query",
                             {"queryObjects", "List versions of objects",
                              "Oldest first unless sorted. Deleted versions are omitted."},
                             {.body = objectQueryCodec()}, queryObjects),
                 only("ObjectQueryReply", "objs", list(objectViewCodec())).type());
}

}  // namespace spindle::objects
