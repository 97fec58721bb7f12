#pragma once

#include <string>
#include <utility>

#include "schema/record.h"
#include "schema/type.h"

namespace spindle::identity {

/// Returns the codec of `project_id` in requests: `entity/project`. The codec only documents the
/// format. splitProjectName() and the project repository enforce it, with their own status and
/// message.
schema::Codec<std::string> projectIdCodec();

/// Starts the record of a request body with its required member `project_id`.
template <class Body>
schema::Record<Body> projectRecord(std::string name) {
  schema::Record<Body> record(std::move(name));
  record.required("project_id", &Body::project_id, projectIdCodec(), "entity/project");
  return record;
}

/// Return the codecs of the two parts, for paths that contain both.
schema::Codec<std::string> entityCodec();
schema::Codec<std::string> projectNameCodec();

}  // namespace spindle::identity
