#pragma once

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "otlp/value.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::agents {

/// Dependencies of cleanTexts() for one caller and project.
struct TextPorts {
  objects::RefProjects& projects;
  tracing::MediaStore& media;
  otlp::TextArena& texts;  ///< of the request; owns the replaced texts
};

/// Prepares every text inside a value for storage: replaces credentials, moves large files to the
/// media store and converts references to internal ones. This order ensures that no credential is
/// ever stored. A file that cannot be stored separately stays in the text.
/// @return kInvalidArgument for a malformed reference; the errors of `projects`.
Result<void> cleanTexts(otlp::Value& value, const TextPorts& ports);

}  // namespace spindle::agents
