#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::objects {

class FileRepository;
class ObjectRepository;

/// Placeholder for the source of an op that was recorded without its source.
inline constexpr std::string_view kNoSource = "# The source of this op was not recorded.\n";

struct NewOp {
  std::string_view project_id;
  std::string_view object_id;
  std::string_view source;
  std::string_view user_id;
};

/// Publishes an op whose source is in a file. An existing op with the same source stays unchanged,
/// whether or not it is the latest. Thread-safe; blocks. @return its digest; errors of the
/// repositories.
Result<std::string> publishOp(FileRepository& files, ObjectRepository& objects, const NewOp& op);

}  // namespace spindle::objects
