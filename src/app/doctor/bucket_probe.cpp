#include "app/doctor/bucket_probe.h"

#include <stdexcept>
#include <utility>

#include "app/blobs/bucket_options.h"
#include "base/core/time.h"
#include "s3/client/bucket_check.h"
#include "s3/client/s3_client.h"

namespace spindle::app {

Result<void> probeBucket(const config::FileSettings& files) {
  try {
    const SystemClock clock;
    s3::BucketOptions options = bucketOptions(files);
    options.attempts = 2;
    s3::S3Client client(std::move(options), clock);
    return s3::checkBucket(client, files.s3_prefix);
  } catch (const std::runtime_error& error) {
    return Error::unavailable(error.what());
  }
}

}  // namespace spindle::app
