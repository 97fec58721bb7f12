#include "objects/store/op.h"

#include <utility>

#include "objects/store/file_repository.h"
#include "objects/store/object_repository.h"
#include "objects/values/digest.h"
#include "objects/values/new_value.h"
#include "wire/spelling.h"

namespace spindle::objects {

Result<std::string> publishOp(FileRepository& files, ObjectRepository& objects, const NewOp& op) {
  const std::string source_digest = contentDigest(op.source);
  NewObject object = newObject(op.project_id, op.object_id,
                               opValue(source_digest, wire::Spelling::kNeutral), op.user_id);
  const Result<ObjectVersion> known =
      objects.find(op.project_id, op.object_id, object.digest, false);
  if (known) return std::move(object.digest);
  if (known.error().code() != ErrorCode::kNotFound) return known.error();
  TRY(files.put(op.project_id, source_digest, op.source));
  TRY(objects.publish(object));
  return std::move(object.digest);
}

}  // namespace spindle::objects
