#pragma once

#include <cstdint>
#include <memory>

#include "http/message/body_stream.h"

namespace spindle::registry {

class VersionRepository;

/// Returns a stream of the manifest of a version as JSON. It reads entries as the client consumes
/// the stream. The repository must outlive the stream.
std::shared_ptr<http::BodyStream> manifestStream(VersionRepository& versions,
                                                 std::int64_t version_id);

}  // namespace spindle::registry
