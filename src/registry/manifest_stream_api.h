#pragma once

#include <cstdint>
#include <memory>

#include "http/body_stream.h"

namespace spindle::registry {

class VersionRepository;

/// The manifest of a version as JSON, read while the client takes it. The repository must outlive
/// the stream.
std::shared_ptr<http::BodyStream> manifestStream(VersionRepository& versions,
                                                 std::int64_t version_id);

}  // namespace spindle::registry
