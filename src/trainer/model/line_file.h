#pragma once

#include <functional>
#include <string>

#include "base/core/result.h"

namespace spindle::trainer {

/// Reads a file line by line. Skips empty lines but counts them. Errors of `take` get the prefix
/// `called` and the line number.
/// @return kNotFound if the file cannot be opened; errors of `take`
Result<void> forEachLine(const std::string& path,
                         const std::string& called,
                         const std::function<Result<void>(const std::string& line)>& take);
/// Reads a small file. @return kNotFound with its name
Result<std::string> readTextFile(const std::string& path);

}  // namespace spindle::trainer
