#pragma once

#include "base/core/result.h"
#include "s3/blobs/bucket_access.h"
#include "s3/blobs/content.h"

namespace spindle::s3 {

/// Whether an object probably exists before it is written.
enum class Expected { kMissing, kPresent };

/// Stores content as the object of its name, unless the bucket has it undamaged. Replaces an object
/// with other content. Content above kPartSize is uploaded in parts; every part is verified by the
/// server, and the parts of a failed upload are removed. The object is durable and has been
/// compared with the content when the call returns. Blocks.
/// @return errors of S3Client.
Result<void> storeObject(BucketAccess& access, const Content& content, Expected expected);

}  // namespace spindle::s3
