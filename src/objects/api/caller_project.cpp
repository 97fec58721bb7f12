#include "objects/api/caller_project.h"

#include <utility>

#include "identity/access/access.h"

namespace spindle::objects {
namespace {

Result<CallerProject> callerProject(const ObjectServices& services,
                                    const http::Context& context,
                                    std::string_view project_id,
                                    const Result<identity::ProjectAccess>& access) {
  if (!access) return access.error();
  CallerProject project{
      std::string(project_id), access->project_id,
      CallerProjects(services.access, services.projects, context.caller().user_id)};
  if (project.exists()) project.projects.addReadable(project.name, project.id);
  return project;
}

}  // namespace

Result<CallerProject> readableProject(const ObjectServices& services,
                                      const http::Context& context,
                                      std::string_view project_id) {
  return callerProject(services, context, project_id,
                       services.access.readProject(context.caller().user_id, project_id));
}

Result<CallerProject> writableProject(const ObjectServices& services,
                                      const http::Context& context,
                                      std::string_view project_id) {
  return callerProject(services, context, project_id,
                       services.access.writeProject(context.caller().user_id, project_id));
}

Result<CallerProject> changeableProject(const ObjectServices& services,
                                        const http::Context& context,
                                        std::string_view project_id) {
  Result<CallerProject> project = readableProject(services, context, project_id);
  if (!project || !project->exists()) return project;
  return writableProject(services, context, project_id);
}

Result<void> checkPaging(const std::optional<std::int64_t>& limit,
                         const std::optional<std::int64_t>& offset) {
  if (limit.value_or(0) < 0) return Error::invalidArgument("Limit must be a positive integer");
  if (offset.value_or(0) < 0) return Error::invalidArgument("Offset must be a positive integer");
  return {};
}

Result<void> checkDigest(const std::optional<std::string>& expected,
                         std::string_view actual,
                         std::string_view what) {
  if (!expected || *expected == actual) return {};
  return Error::conflict("Client " + std::string(what) + " digest " + *expected +
                         " != server digest " + std::string(actual));
}

}  // namespace spindle::objects
