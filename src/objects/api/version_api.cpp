#include "http/router/route_group.h"
#include "objects/api/caller_project.h"
#include "objects/api/name_codecs.h"
#include "objects/api/object_view.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
#include "objects/store/label_repository.h"
#include "objects/store/object_repository.h"
#include "objects/values/builtin_class.h"
#include "objects/values/label.h"
#include "objects/values/new_value.h"
#include "schema/described.h"
#include "schema/scalar.h"

namespace spindle::objects {
namespace {

using http::Context;
using schema::boolean, schema::list, schema::nullable, schema::Record, schema::string;

constexpr std::size_t kMaxDeleted = 100;

struct NewObjectBody {
  std::string project_id;
  std::string object_id;
  json::Text val;
  std::optional<std::string> builtin_object_class;
  std::optional<std::string> set_base_object_class;
  std::optional<std::string> expected_digest;
};
struct ObjectCreateReply {
  std::string digest;
  std::string object_id;
};

struct ObjectReadBody {
  std::string project_id;
  std::string object_id;
  std::string digest;
  std::optional<bool> metadata_only = false;
  std::optional<bool> include_tags_and_aliases = false;
};

struct DeleteBody {
  std::string project_id;
  std::string object_id;
  std::optional<std::vector<std::string>> digests;
};
struct DeletedView {
  std::string digest;
  std::optional<std::string> base_object_class;
  std::optional<std::string> leaf_object_class;
};
struct DeleteReply {
  std::int64_t num_deleted = 0;
  std::vector<DeletedView> deleted_versions;
};

/// Names of built-in classes. asBuiltinObject() refuses other names with 400.
schema::Codec<std::string> builtinClassCodec() {
  return schema::describedAs(string(), schema::literal(builtinClassNames()));
}

schema::Codec<Only<NewObjectBody>> objectCreateCodec() {
  using B = NewObjectBody;
  schema::Record<B> object = projectRecord<B>("NewObject");
  object
      .required("object_id", &B::object_id, objectIdCodec(),
                "The name: letters, digits, `_`, `.` and `-`; at most 128.")
      .required("val", &B::val, schema::anyJson(), "Any JSON.")
      .optional("builtin_object_class", &B::builtin_object_class, nullable(builtinClassCodec()),
                "Validates the value against a built-in class.")
      .optional("set_base_object_class", &B::set_base_object_class, nullable(builtinClassCodec()),
                "An older name of builtin_object_class.");
  return only("ObjectCreateRequest", "obj", addExpectedDigest(object).codec());
}

schema::Codec<ObjectCreateReply> objectCreatedCodec() {
  return Record<ObjectCreateReply>("ObjectCreateReply")
      .required("digest", &ObjectCreateReply::digest, string(), "Digest of the content.")
      .required("object_id", &ObjectCreateReply::object_id, string())
      .codec();
}

schema::Codec<ObjectReadBody> readCodec() {
  using B = ObjectReadBody;
  return projectRecord<B>("ObjectReadRequest")
      .required("object_id", &B::object_id, string())
      .required("digest", &B::digest, string(), "A digest, `latest`, `vN` or an alias.")
      .optional("metadata_only", &B::metadata_only, nullable(boolean()), "Omit the value.")
      .optional("include_tags_and_aliases", &B::include_tags_and_aliases, nullable(boolean()))
      .codec();
}

schema::Codec<DeleteBody> deleteCodec() {
  using B = DeleteBody;
  return projectRecord<B>("ObjectDeleteRequest")
      .required("object_id", &B::object_id, string())
      .optional("digests", &B::digests, nullable(textsCodec(kMaxDeleted)),
                "Digests, `latest`, `vN` or aliases, at most 100; null: every version.")
      .codec();
}

schema::Codec<DeleteReply> deletedCodec() {
  const schema::Codec<DeletedView> version =
      Record<DeletedView>("DeletedObjectVersion")
          .required("digest", &DeletedView::digest, string())
          .required("base_object_class", &DeletedView::base_object_class, nullable(string()))
          .required("leaf_object_class", &DeletedView::leaf_object_class, nullable(string()))
          .codec();
  return Record<DeleteReply>("ObjectDeleteReply")
      .required("num_deleted", &DeleteReply::num_deleted, schema::integer())
      .required("deleted_versions", &DeleteReply::deleted_versions, list(version))
      .codec();
}

/// Returns the value to store: with internal refs, and of the requested class.
Result<std::string> storedValue(const NewObjectBody& body, CallerProject& project) {
  std::string value = json::compact(body.val.json);
  TRY(internalizeRefs(value, project.projects));
  const std::optional<std::string>& wanted =
      body.builtin_object_class ? body.builtin_object_class : body.set_base_object_class;
  if (!wanted) return value;
  return asBuiltinObject(*wanted, value);
}

Result<ObjectCreateReply> createObject(const ObjectServices& services,
                                       const Context& context,
                                       const NewObjectBody& body) {
  CallerProject project = TRY(writableProject(services, context, body.project_id));
  TRY(checkObjectId(body.object_id));
  std::string value = TRY(storedValue(body, project));
  const NewObject object =
      newObject(project.id, body.object_id, std::move(value), context.caller().user_id);
  TRY(checkDigest(body.expected_digest, object.digest, "obj '" + body.object_id + "'"));
  TRY(services.objects.publish(object));
  return ObjectCreateReply{object.digest, object.object_id};
}

Result<Only<ObjectView>> readObject(const ObjectServices& services,
                                    const Context& context,
                                    const ObjectReadBody& body) {
  CallerProject project = TRY(readableProject(services, context, body.project_id));
  const ObjectVersion version = TRY(services.objects.find(project.id, body.object_id, body.digest,
                                                          !body.metadata_only.value_or(false)));
  ObjectView view = TRY(objectView(version, project, context.spelling()));
  if (body.include_tags_and_aliases.value_or(false)) {
    std::vector<Labels> labels = TRY(services.labels.labelsOf(project.id, {version}));
    view.tags = std::move(labels.front().tags);
    view.aliases = std::move(labels.front().aliases);
  }
  return Only<ObjectView>{std::move(view)};
}

Result<DeleteReply> deleteObject(const ObjectServices& services,
                                 const Context& context,
                                 const DeleteBody& body) {
  const CallerProject project = TRY(changeableProject(services, context, body.project_id));
  if (body.digests && body.digests->size() > kMaxDeleted) {
    return Error::invalidArgument("Too many digests: at most " + std::to_string(kMaxDeleted) +
                                  " versions are deleted at once");
  }
  const std::vector<ObjectVersion> deleted =
      TRY(services.objects.remove(project.id, body.object_id, body.digests));
  DeleteReply reply;
  reply.num_deleted = static_cast<std::int64_t>(deleted.size());
  for (const ObjectVersion& version : deleted) {
    reply.deleted_versions.push_back({version.digest, version.classes.base, version.classes.leaf});
  }
  return reply;
}

}  // namespace

void addVersionRoutes(ObjectRoutes routes) {
  routes.post(
      "/obj/create",
      {"createObject", "Publish an object",
       "Adds a version. Publishing the same content again only makes it the latest."},
      {.body = objectCreateCodec(), .reply = objectCreatedCodec()},
      [](const ObjectServices& services, const Context& context, const Only<NewObjectBody>& body) {
        return createObject(services, context, body.value);
      });
  routes.post("/obj/read", {"readObject", "Read a version of an object"},
              {.body = readCodec(), .reply = only("ObjectReadReply", "obj", objectViewCodec())},
              readObject);
  routes.post(
      "/obj/delete",
      {"deleteObject", "Delete versions of an object",
       "Also deletes their tags and aliases. Publishing the content again restores a version."},
      {.body = deleteCodec(), .reply = deletedCodec()}, deleteObject);
}

}  // namespace spindle::objects
