#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/router/route.h"
#include "objects/api/objects_api.h"
#include "objects/store/caller_projects.h"

namespace spindle::objects {

/// The project of a request, and the other projects that its caller can read.
struct CallerProject {
  std::string name;  ///< `entity/project`, as in the request
  std::string id;    ///< internal; empty if the project does not exist yet and reads as empty
  CallerProjects projects;

  bool exists() const { return !id.empty(); }
};

/// Resolves a project for reading. @return kInvalidArgument for an invalid name, kNotFound.
Result<CallerProject> readableProject(const ObjectServices& services,
                                      const http::Context& context,
                                      std::string_view project_id);

/// Resolves a project for writing; creates it if missing. @return as above, and kPermissionDenied.
Result<CallerProject> writableProject(const ObjectServices& services,
                                      const http::Context& context,
                                      std::string_view project_id);

/// Resolves a project for changes of existing data; does not create a missing project. @return as
/// above.
Result<CallerProject> changeableProject(const ObjectServices& services,
                                        const http::Context& context,
                                        std::string_view project_id);

/// Checks limit and offset of a list request. @return kInvalidArgument for a negative number.
Result<void> checkPaging(const std::optional<std::int64_t>& limit,
                         const std::optional<std::int64_t>& offset);

/// Checks the digest that the client expects. @return kConflict when it is not `actual`; `what` is
/// for example `obj 'name'`.
Result<void> checkDigest(const std::optional<std::string>& expected,
                         std::string_view actual,
                         std::string_view what);

}  // namespace spindle::objects
