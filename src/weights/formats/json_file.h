#pragma once

#include <cstddef>
#include <string>

#include "base/core/result.h"
#include "json/document.h"

namespace spindle::weights {

/// Large enough for the tokenizer.json of every supported model.
inline constexpr std::size_t kLargestJsonFile = 256UL << 20;

/// Reads a JSON file of at most `largest` bytes.
/// @return kNotFound; kUnavailable; kInvalidArgument with the file name if it is longer or not JSON
Result<json::Document> readJsonFile(const std::string& path,
                                    std::size_t largest = kLargestJsonFile);

}  // namespace spindle::weights
