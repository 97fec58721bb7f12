#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "json/document.h"

namespace spindle::weights {

/// Enough for the tokenizer of every model.
inline constexpr std::size_t kLargestJsonFile = 256UL << 20;

/// Reads a whole JSON file of at most `largest` bytes. @return kNotFound, kUnavailable, or
/// kInvalidArgument where it is longer or not JSON, with the file's name
Result<json::Document> readJsonFile(const std::string& path,
                                    std::size_t largest = kLargestJsonFile);

}  // namespace spindle::weights
