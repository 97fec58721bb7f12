#include "identity/api/project_api.h"

#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/request_parts.h"
#include "identity/api/user_view.h"
#include "identity/store/project_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::Extra, schema::ifPresent, schema::string;

struct ProjectMemberView {
  std::string username;
  TeamRole role = TeamRole::kMember;
  TeamRole team_role = TeamRole::kMember;
  bool overridden = false;
};

struct NewProjectBody : NewProject {
  std::string team;
};
struct ProjectRoleBody {
  TeamRole role = TeamRole::kMember;
};

struct ListQuery : http::PageQuery {
  std::optional<std::string> team;
};
struct ProjectPath {
  std::string team;
  std::string project;
};
struct MembersPath : ProjectPath, http::PageQuery {};
struct ProjectMemberPath : ProjectPath {
  std::string username;
};

schema::Codec<Visibility> visibilityCodec() {
  return schema::enumeration<Visibility>({{"OPEN", Visibility::kOpen},
                                          {"PUBLIC", Visibility::kPublic},
                                          {"TEAM", Visibility::kTeam},
                                          {"RESTRICTED", Visibility::kRestricted}});
}

schema::Codec<Project> projectCodec() {
  return schema::Record<Project>("Project")
      .required("id", &Project::id, string(), "Assigned by the server.")
      .required("team", &Project::team_name, string(), "Name of its team.")
      .required("name", &Project::name, string(), "Unique in the team.")
      .required(
          "visibility", &Project::visibility, visibilityCodec(),
          "Who sees the project. `OPEN`: all users with an API key read and log. `PUBLIC`: all "
          "users with an API key read. `TEAM`: the members of the team. `RESTRICTED`: the members "
          "of the team who were added.")
      .required("description", &Project::description, string())
      .required("created_at", &Project::created_at, schema::dateTime())
      .required("updated_at", &Project::updated_at, schema::dateTime())
      .codec();
}

schema::Codec<NewProjectBody> newCodec() {
  return schema::Record<NewProjectBody>("NewProject", Extra::kForbid)
      .required("team", &NewProjectBody::team, string(), "Name of the team.")
      .required("name", &NewProjectBody::name, nameCodec(kMaxProjectName, kProjectNamePattern),
                "Unique in the team.")
      .optional("visibility", &NewProjectBody::visibility, visibilityCodec())
      .optional("description", &NewProjectBody::description, string())
      .codec();
}

schema::Codec<ProjectChange> changeCodec() {
  return schema::Record<ProjectChange>("ProjectChange", Extra::kForbid)
      .optional("visibility", &ProjectChange::visibility, ifPresent(visibilityCodec()))
      .optional("description", &ProjectChange::description, ifPresent(string()))
      .codec();
}

schema::Codec<ProjectMemberView> projectMemberCodec() {
  return schema::Record<ProjectMemberView>("ProjectMember")
      .required("username", &ProjectMemberView::username, string())
      .required("role", &ProjectMemberView::role, teamRoleCodec(), "In the project.")
      .required("team_role", &ProjectMemberView::team_role, teamRoleCodec(), "In the team.")
      .required("overridden", &ProjectMemberView::overridden, schema::boolean(),
                "The project role replaces the team role, and stays when the team role changes.")
      .codec();
}

template <class P>
http::Parameters<P> inProject(http::Parameters<P> parameters = {}) {
  return inTeam(std::move(parameters))
      .path("project", &P::project, string(), "Name of the project.");
}

http::Parameters<ProjectMemberPath> projectMemberPath() {
  return inProject<ProjectMemberPath>().path("username", &ProjectMemberPath::username, string(),
                                             "Name of the user.");
}

/// `visibility` is the visibility of the project, which decides whether an override applies.
ProjectMemberView projectMemberViewOf(const ProjectMember& member, Visibility visibility) {
  const ProjectRoleFacts role_facts{member.team_role, visibility, member.added,
                                    member.override_role};
  ProjectMemberView view;
  view.username = member.username;
  view.team_role = member.team_role;
  view.role = effectiveProjectRole(role_facts).value_or(member.team_role);
  view.overridden = view.role != view.team_role;
  return view;
}

/// Returns an existing project if the caller may do the action in it.
Result<Project> requireProject(const ProjectServices& services,
                               const Context& context,
                               const ProjectPath& path,
                               Action action) {
  const ProjectAccess access = TRY(
      services.access.requireInProject(context.caller().user_id, path.team, path.project, action));
  return services.projects.findById(access.project_id);
}

Result<Project> create(const ProjectServices& services,
                       const Context& context,
                       NewProjectBody body) {
  body.creator_id = context.caller().user_id;
  const TeamAccess access =
      TRY(services.access.requireInTeam(body.creator_id, body.team, Action::kWriteProject));
  body.team_id = access.team_id;
  return services.projects.insert(body);
}

Result<Page<Project>> list(const ProjectServices& services,
                           const Context& context,
                           const ListQuery& query) {
  const std::string& caller = context.caller().user_id;
  const PageRequest request = TRY(pageRequestOf(query));
  if (query.team) {
    const TeamAccess access = TRY(services.access.findTeam(caller, *query.team));
    return services.projects.list(access.team_id, caller, access.sees_all_projects, request);
  }
  const bool sees_all = TRY(services.access.isOrganizationAdmin(caller));
  return services.projects.listForUser(caller, sees_all, request);
}

Result<Project> show(const ProjectServices& services,
                     const Context& context,
                     const ProjectPath& path) {
  return requireProject(services, context, path, Action::kReadProject);
}

Result<Project> change(const ProjectServices& services,
                       const Context& context,
                       const ProjectPath& path,
                       const ProjectChange& body) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  return services.projects.update(project.id, body, version);
}

Result<void> remove(const ProjectServices& services,
                    const Context& context,
                    const ProjectPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  TRY(checkVersion(version, project.version));
  TRY(services.prepare_removal(project.id));
  return services.projects.remove(project.id, version);
}

Result<http::PageReply<ProjectMemberView>> listProjectMembers(const ProjectServices& services,
                                                              const Context& context,
                                                              const MembersPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kReadProject));
  const PageRequest request = TRY(pageRequestOf(path));
  const Page<ProjectMember> page = TRY(services.projects.effectiveMembers(project.id, request));
  return pageReply<ProjectMemberView>(page, [&](const ProjectMember& member) {
    return projectMemberViewOf(member, project.visibility);
  });
}

Result<ProjectMemberView> putProjectMember(const ProjectServices& services,
                                           const Context& context,
                                           const ProjectMemberPath& path,
                                           const ProjectRoleBody& body) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const User user = TRY(services.users.findByUsername(path.username));
  const ProjectMember member = TRY(services.projects.setRole(project.id, user.id, body.role));
  return projectMemberViewOf(member, project.visibility);
}

Result<void> removeProjectMember(const ProjectServices& services,
                                 const Context& context,
                                 const ProjectMemberPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const User user = TRY(services.users.findByUsername(path.username));
  TRY(services.projects.removeRole(project.id, user.id));
  return {};
}

void addProjectMemberRoutes(const ProjectRoutes& routes) {
  routes.get("/api/v1/projects/{team}/{project}/members",
             {"listProjectMembers", "List the members of a project and their roles"},
             {.params = inProject(http::pageParameters<MembersPath>()),
              .reply = http::pageCodec("ProjectMemberPage", projectMemberCodec())},
             listProjectMembers);
  routes.put("/api/v1/projects/{team}/{project}/members/{username}",
             {"putProjectMember", "Give a member of the team a role in a project",
              "Also adds the member to a restricted project. If the role equals the team "
              "role, the project role follows the team role. For admins of the project."},
             {.params = projectMemberPath(),
              .body = schema::Record<ProjectRoleBody>("ProjectRole", Extra::kForbid)
                          .required("role", &ProjectRoleBody::role, teamRoleCodec())
                          .codec(),
              .reply = projectMemberCodec()},
             putProjectMember);
  routes.remove(
      "/api/v1/projects/{team}/{project}/members/{username}",
      {"removeProjectMember", "Remove the project role of a member", "For admins of the project."},
      {.params = projectMemberPath()}, removeProjectMember);
}

}  // namespace

void addProjectRoutes(ProjectRoutes routes) {
  routes.setTag("project management");
  const http::Resource projects(routes, {"/api/v1/projects", "/api/v1/projects/{team}/{project}"},
                                inProject<ProjectPath>(), projectCodec(), &Project::version);
  projects.create(
      {"createProject", "Add a project",
       "For members of the team. The first write to a missing project also creates it."},
      newCodec(), create);
  projects.list(
      {"listProjects", "List projects",
       "Projects of one team, or of all teams of the caller; newest first."},
      "ProjectPage",
      http::pageParameters<ListQuery>().query("team", &ListQuery::team, schema::nullable(string()),
                                              "Only projects of this team."),
      list);
  projects.show({"getProject", "Show a project"}, show);
  projects.change({"changeProject", "Change the visibility or description of a project",
                   "For admins of the project."},
                  changeCodec(), change);
  projects.remove({"deleteProject", "Delete a project with all its data",
                   "For admins of the project. 409 `protected_alias` while a protected alias of a "
                   "registry points at one of its versions."},
                  remove);
  addProjectMemberRoutes(routes);
}

}  // namespace spindle::identity
