#pragma once

#include <string>

#include "base/core/result.h"
#include "s3/client/s3_client.h"

namespace spindle::s3 {

/// Writes, reads and deletes a small object `<prefix>check/<random>`. Blocks.
/// @return the error of the first step that fails, with a message for the operator.
Result<void> checkBucket(S3Client& client, const std::string& prefix);

}  // namespace spindle::s3
