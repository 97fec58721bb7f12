#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "json/writer.h"
#include "objects/api/caller_project.h"
#include "objects/values/object.h"
#include "schema/type.h"

namespace spindle::objects {

/// An object version as clients see it (tracing.md §4.4).
struct ObjectView {
  std::string project_id;
  std::string object_id;
  Timestamp created_at;
  std::optional<Timestamp> deleted_at;
  std::string digest;
  std::int64_t version_index = 0;
  std::int64_t is_latest = 0;
  std::string kind;
  std::optional<std::string> base_object_class;
  std::optional<std::string> leaf_object_class;
  json::Text val;
  std::optional<std::string> user_id;
  std::optional<std::int64_t> size_bytes;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::vector<std::string>> aliases;
};

schema::Codec<ObjectView> objectViewCodec();

/// Creates the view, with the refs of the value as this reader may see them. The value of a version
/// without a value is `{}`. The caller adds size, tags and aliases. @return kUnavailable.
Result<ObjectView> objectView(const ObjectVersion& version,
                              CallerProject& project,
                              wire::Spelling spelling);

}  // namespace spindle::objects
