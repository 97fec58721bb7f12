#pragma once

#include "config/settings.h"
#include "s3/client/options.h"

namespace spindle::app {

/// Returns the options of the bucket of the settings.
s3::BucketOptions bucketOptions(const config::FileSettings& files);

}  // namespace spindle::app
