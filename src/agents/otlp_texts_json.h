#pragma once

#include "base/result.h"
#include "objects/ref_conversion.h"
#include "otlp/value.h"
#include "tracing/payload_json.h"

namespace spindle::agents {

/// Where the texts inside attributes that are more than text go: those of one caller and project.
struct TextPorts {
  objects::RefProjects& projects;
  tracing::MediaKeeper& media;
  otlp::TextArena& texts;  ///< of the request; keeps what takes their place
};

/// Makes every text inside a value ready to be kept: credentials are replaced, large files moved
/// out, references made internal. In this order, so that no credential is ever stored. A file that
/// cannot be kept stays where it is.
/// @return kInvalidArgument for a malformed reference; what `projects` returns.
Result<void> cleanTexts(otlp::Value& value, const TextPorts& ports);

}  // namespace spindle::agents
