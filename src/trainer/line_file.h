#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace spindle::trainer {

/// Reads a file line by line; empty lines are left out, and counted. What is wrong with a line
/// comes back with its number, behind what lines are called. @return kNotFound when it cannot be
/// opened; what `take` returns
Result<void> forEachLine(const std::string& path,
                         const std::string& called,
                         const std::function<Result<void>(const std::string& line)>& take);
/// A small file whole. @return kNotFound, naming it
Result<std::string> readTextFile(const std::string& path);

}  // namespace spindle::trainer
