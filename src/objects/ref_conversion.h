#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/spelling.h"

namespace spindle::objects {

/// Names and ids of projects as one caller may know them.
class RefProjects {
 public:
  virtual ~RefProjects() = default;

  /// The internal id of `entity/project`. Empty when there is none the caller may read.
  virtual Result<std::optional<std::string>> internalOf(std::string_view external) = 0;
  /// The `entity/project` of an internal id. Empty when there is none the caller may read.
  virtual Result<std::optional<std::string>> externalOf(std::string_view internal) = 0;
};

/// On the way in: every string in a JSON text that is an external ref becomes an internal one, also
/// inside strings that are JSON text themselves (to a depth of eight). Names of members stay.
/// The internal ref keeps the spelling it came in, because digests are taken of it. A ref into a
/// project that the caller cannot read stays as it is; nothing follows such a text later.
///
/// One pass; the text is copied only when something in it changes, and hardly looked at when it
/// holds no ref. `json` must be valid JSON and stays so.
///
/// `refs`, when given, takes the refs that were met, artifacts' included, each once: internal and
/// in the neutral spelling, so that they compare equal whichever SDK wrote them.
/// @return kInvalidArgument for an external ref without project or tail, and for an internal one
/// whose project the caller cannot read; what `projects` returns.
Result<void> internalizeRefs(std::string& json,
                             RefProjects& projects,
                             std::vector<std::string>* refs = nullptr);

/// On the way out: internal refs become external ones in the reader's spelling, those into projects
/// that the reader cannot read become private. @return what `projects` returns.
Result<void> externalizeRefs(std::string& json, RefProjects& projects, wire::Spelling spelling);

/// The same for one text that is a ref or is not.
Result<std::string> internalRef(std::string_view text, RefProjects& projects);
Result<std::string> externalRef(std::string_view text,
                                RefProjects& projects,
                                wire::Spelling spelling);

/// An internal ref in the neutral spelling; other texts as they are.
std::string neutralRef(std::string_view text);

}  // namespace spindle::objects
