#include "app/blobs/bucket_options.h"

namespace spindle::app {

s3::BucketOptions bucketOptions(const config::FileSettings& files) {
  s3::BucketOptions options;
  options.endpoint = files.s3_endpoint;
  options.bucket = files.s3_bucket;
  options.region = files.s3_region;
  options.path_style = files.s3_path_style;
  options.credentials_file = files.s3_credentials_file.string();
  options.ca_file = files.s3_ca_file.string();
  options.timeout = files.s3_timeout;
  return options;
}

}  // namespace spindle::app
