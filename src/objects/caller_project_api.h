#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/route.h"
#include "objects/caller_projects.h"
#include "objects/objects_api.h"

namespace spindle::objects {

/// The project that a request is about, and the other projects its caller can read.
struct CallerProject {
  std::string name;  ///< `entity/project`, as the request has it
  std::string id;    ///< internal; empty: it does not exist yet and reads as empty
  CallerProjects projects;

  bool exists() const { return !id.empty(); }
};

/// @return kInvalidArgument for a name of another form, kNotFound.
Result<CallerProject> readableProject(const ObjectServices& services,
                                      const http::Context& context,
                                      std::string_view project_id);

/// Makes the project when it is missing. @return as above, and kPermissionDenied.
Result<CallerProject> writableProject(const ObjectServices& services,
                                      const http::Context& context,
                                      std::string_view project_id);

/// For changing what is there: a project that does not exist yet stays so.
/// @return as above.
Result<CallerProject> changeableProject(const ObjectServices& services,
                                        const http::Context& context,
                                        std::string_view project_id);

/// How much of a list a request wants. @return kInvalidArgument for a number below zero.
Result<void> checkPaging(const std::optional<std::int64_t>& limit,
                         const std::optional<std::int64_t>& offset);

/// @return kConflict when the client expects another digest than `actual`; `what` is such as
/// `obj 'name'`.
Result<void> checkDigest(const std::optional<std::string>& expected,
                         std::string_view actual,
                         std::string_view what);

}  // namespace spindle::objects
