#pragma once

#include <string>

#include "base/result.h"
#include "json/document.h"

namespace spindle::weights {

/// A JSON file whole. @return kNotFound, kUnavailable, or kInvalidArgument where it is not JSON,
/// naming the file
Result<json::Document> readJsonFile(const std::string& path);

}  // namespace spindle::weights
