#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::objects {

class FileRepository;
class ObjectRepository;

/// What stands in the place of an op's source where nobody sent one.
inline constexpr std::string_view kNoSource = "# The source of this op was not recorded.\n";

struct NewOp {
  std::string_view project_id;
  std::string_view object_id;
  std::string_view source;
  std::string_view user_id;
};

/// Publishes an op whose source is in a file. One that is already there with that source stays as
/// it is, whether or not it is the latest. Thread-safe; blocks.
/// @return its digest; what the repositories return.
Result<std::string> publishOp(FileRepository& files, ObjectRepository& objects, const NewOp& op);

}  // namespace spindle::objects
