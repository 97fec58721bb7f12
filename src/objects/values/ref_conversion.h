#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "wire/spelling.h"

namespace spindle::objects {

/// Maps names and ids of the projects that one caller may read.
class RefProjects {
 public:
  virtual ~RefProjects() = default;

  /// Returns the internal id of `entity/project`, or nothing if the caller may not read it.
  virtual Result<std::optional<std::string>> internalOf(std::string_view external) = 0;
  /// Returns the `entity/project` of an internal id, or nothing if the caller may not read it.
  virtual Result<std::optional<std::string>> externalOf(std::string_view internal) = 0;
};

/// Converts incoming JSON: every string that is an external ref becomes an internal one, also
/// inside strings that are JSON text themselves (up to eight levels). Member names stay unchanged.
/// The internal ref keeps its spelling, because digests include it. A ref into a project that the
/// caller cannot read stays unchanged and is never resolved later.
///
/// Works in one pass. Copies the text only if something changes, and skips text without refs
/// quickly. `json` must be valid JSON and stays valid.
///
/// If `refs` is given, collects all refs, including artifact refs, each once: internal and in
/// neutral spelling, so that refs of different SDKs compare equal. @return kInvalidArgument for an
/// external ref without project or tail, and for an internal one whose project the caller cannot
/// read; errors of `projects`.
Result<void> internalizeRefs(std::string& json,
                             RefProjects& projects,
                             std::vector<std::string>* refs = nullptr);

/// Converts outgoing JSON: internal refs become external ones in the reader's spelling; refs into
/// projects that the reader cannot read become private. @return errors of `projects`.
Result<void> externalizeRefs(std::string& json, RefProjects& projects, wire::Spelling spelling);

/// Converts a part of an outgoing JSON text, which may begin and end anywhere, also inside a
/// string. Internal refs become external or private ones wherever they occur; one that the end cuts
/// before its project is complete is removed with what follows it. @return errors of `projects`.
Result<void> externalizeFragment(std::string& part, RefProjects& projects, wire::Spelling spelling);

/// Convert a single text that may be a ref.
Result<std::string> internalRef(std::string_view text, RefProjects& projects);
Result<std::string> externalRef(std::string_view text,
                                RefProjects& projects,
                                wire::Spelling spelling);

/// Returns an internal ref in neutral spelling; other texts unchanged.
std::string neutralRef(std::string_view text);

}  // namespace spindle::objects
