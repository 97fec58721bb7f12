#include "objects/api/object_view.h"

#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::objects {

using schema::integer, schema::list, schema::nullable, schema::string;

schema::Codec<ObjectView> objectViewCodec() {
  using V = ObjectView;
  return schema::Record<V>("ObjectVersion")
      .required("project_id", &V::project_id, string(), "`entity/project`.")
      .required("object_id", &V::object_id, string(), "The name of the object.")
      .required("created_at", &V::created_at, schema::dateTime(), "When it was published.")
      .optional("deleted_at", &V::deleted_at, nullable(schema::dateTime()))
      .required("digest", &V::digest, string(), "Digest of the content.")
      .required("version_index", &V::version_index, integer(), "Counted from 0, never reused.")
      .required("is_latest", &V::is_latest, integer(), "1 for the version published last.")
      .required("kind", &V::kind, string(), "`object` or `op`.")
      .required("base_object_class", &V::base_object_class, nullable(string()))
      .optional("leaf_object_class", &V::leaf_object_class, nullable(string()))
      .required("val", &V::val, schema::anyJson(),
                "The content; `{}` if only metadata was requested.")
      .optional("svc_user_id", &V::user_id, nullable(string()), "Who published it.")
      .optional("size_bytes", &V::size_bytes, nullable(integer()), "Present on request.")
      .optional("tags", &V::tags, nullable(list(string())), "Present on request.")
      .optional("aliases", &V::aliases, nullable(list(string())), "Present on request.")
      .codec();
}

Result<ObjectView> objectView(const ObjectVersion& version,
                              CallerProject& project,
                              wire::Spelling spelling) {
  ObjectView view;
  view.project_id = project.name;
  view.object_id = version.object_id;
  view.created_at = version.created_at;
  view.deleted_at = version.deleted_at;
  view.digest = version.digest;
  view.version_index = version.version_index;
  view.is_latest = version.is_latest ? 1 : 0;
  view.kind = textOf(version.classes.kind);
  view.base_object_class = version.classes.base;
  view.leaf_object_class = version.classes.leaf;
  view.user_id = version.user_id;
  view.val.json = version.value.empty() ? "{}" : version.value;
  TRY(externalizeRefs(view.val.json, project.projects, spelling));
  return view;
}

}  // namespace spindle::objects
