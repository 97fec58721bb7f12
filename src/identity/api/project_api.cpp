#include "identity/api/project_api.h"

#include "http/router/etag.h"
#include "http/router/router.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "identity/store/project_repository.h"
#include "identity/store/row_version.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"

namespace spindle::identity {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using schema::Extra;
using schema::ifPresent;
using schema::string;

constexpr std::string_view kTag = "project management";

struct ProjectView {
  ProjectView() = default;
  explicit ProjectView(const Project& project)
      : id(project.id),
        team(project.team_name),
        name(project.name),
        visibility(project.visibility),
        description(project.description),
        created_at(project.created_at),
        updated_at(project.updated_at) {}

  std::string id;
  std::string team;
  std::string name;
  Visibility visibility = Visibility::kTeam;
  std::string description;
  Timestamp created_at;
  Timestamp updated_at;
};

struct ProjectMemberView {
  std::string username;
  TeamRole role = TeamRole::kMember;
  TeamRole team_role = TeamRole::kMember;
  bool overridden = false;
};

struct NewProjectBody {
  std::string team;
  std::string name;
  Visibility visibility = Visibility::kTeam;
  std::string description;
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

schema::Codec<ProjectView> viewCodec() {
  return schema::Record<ProjectView>("Project")
      .required("id", &ProjectView::id, string(), "Assigned by the server.")
      .required("team", &ProjectView::team, string(), "Name of its team.")
      .required("name", &ProjectView::name, string(), "Unique in the team.")
      .required(
          "visibility", &ProjectView::visibility, visibilityCodec(),
          "Who sees the project. `OPEN`: all users with an API key read and log. `PUBLIC`: all "
          "users with an API key read. `TEAM`: the members of the team. `RESTRICTED`: the members "
          "of the team who were added.")
      .required("description", &ProjectView::description, string(), "")
      .required("created_at", &ProjectView::created_at, schema::dateTime(), "")
      .required("updated_at", &ProjectView::updated_at, schema::dateTime(), "")
      .codec();
}

schema::Codec<NewProjectBody> newCodec() {
  return schema::Record<NewProjectBody>("NewProject", Extra::kForbid)
      .required("team", &NewProjectBody::team, string(), "Name of the team.")
      .required(
          "name", &NewProjectBody::name,
          string({.min_length = 1, .max_length = kMaxProjectName, .pattern = kProjectNamePattern}),
          "Unique in the team.")
      .optional("visibility", &NewProjectBody::visibility, visibilityCodec(), "")
      .optional("description", &NewProjectBody::description, string(), "")
      .codec();
}

schema::Codec<ProjectChange> changeCodec() {
  return schema::Record<ProjectChange>("ProjectChange", Extra::kForbid)
      .optional("visibility", &ProjectChange::visibility, ifPresent(visibilityCodec()), "")
      .optional("description", &ProjectChange::description, ifPresent(string()), "")
      .codec();
}

schema::Codec<ProjectMemberView> projectMemberCodec() {
  return schema::Record<ProjectMemberView>("ProjectMember")
      .required("username", &ProjectMemberView::username, string(), "")
      .required("role", &ProjectMemberView::role, teamRoleCodec(), "In the project.")
      .required("team_role", &ProjectMemberView::team_role, teamRoleCodec(), "In the team.")
      .required("overridden", &ProjectMemberView::overridden, schema::boolean(),
                "The project role replaces the team role, and stays when the team role changes.")
      .codec();
}

template <class P>
http::Parameters<P>& addProjectPath(http::Parameters<P>& parameters) {
  return parameters.path("team", &ProjectPath::team, string(), "Name of the team.")
      .path("project", &ProjectPath::project, string(), "Name of the project.");
}

http::Parameters<ProjectMemberPath> projectMemberPath() {
  http::Parameters<ProjectMemberPath> parameters;
  return addProjectPath(parameters)
      .path("username", &ProjectMemberPath::username, string(), "Name of the user.");
}

Reply<ProjectView> projectReply(const Project& project) {
  return Reply(ProjectView(project)).with("ETag", http::etagOf(project.version));
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

Result<Reply<ProjectView>> create(const ProjectServices& services,
                                  const Context& context,
                                  const NewProjectBody& body) {
  const std::string& caller = context.caller().user_id;
  const TeamAccess access =
      TRY(services.access.requireInTeam(caller, body.team, Action::kWriteProject));
  NewProject fresh;
  fresh.team_id = access.team_id;
  fresh.name = body.name;
  fresh.visibility = body.visibility;
  fresh.description = body.description;
  fresh.creator_id = caller;
  const Project made = TRY(services.projects.insert(fresh));
  return projectReply(made);
}

Result<Page<Project>> pageOfProjects(const ProjectServices& services,
                                     const std::string& caller,
                                     const ListQuery& query,
                                     const PageRequest& request) {
  if (query.team) {
    const TeamAccess access = TRY(services.access.findTeam(caller, *query.team));
    return services.projects.list(access.team_id, caller, access.sees_all_projects, request);
  }
  const bool sees_all = TRY(services.access.isOrganizationAdmin(caller));
  return services.projects.listForUser(caller, sees_all, request);
}

Result<Reply<http::PageReply<ProjectView>>> list(const ProjectServices& services,
                                                 const Context& context,
                                                 const ListQuery& query) {
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<Project> page =
      TRY(pageOfProjects(services, context.caller().user_id, query, request));
  return Reply(
      pageReply<ProjectView>(page, [](const Project& project) { return ProjectView(project); }));
}

Result<Reply<ProjectView>> show(const ProjectServices& services,
                                const Context& context,
                                const ProjectPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kReadProject));
  return projectReply(project);
}

Result<Reply<ProjectView>> change(const ProjectServices& services,
                                  const Context& context,
                                  const ProjectPath& path,
                                  const ProjectChange& body) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  const Project changed = TRY(services.projects.update(project.id, body, version));
  return projectReply(changed);
}

Result<Reply<Nothing>> remove(const ProjectServices& services,
                              const Context& context,
                              const ProjectPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  Result<void> removed = checkVersion(version, project.version);
  if (removed) removed = services.prepare_removal(project.id);
  if (removed) removed = services.projects.remove(project.id, version);
  if (!removed) return std::move(removed).error();
  return Reply(Nothing{});
}

Result<Reply<http::PageReply<ProjectMemberView>>> listProjectMembers(
    const ProjectServices& services, const Context& context, const MembersPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kReadProject));
  const PageRequest request = TRY(pageRequestOf(path));
  const Page<ProjectMember> page = TRY(services.projects.effectiveMembers(project.id, request));
  return Reply(pageReply<ProjectMemberView>(page, [&](const ProjectMember& member) {
    return projectMemberViewOf(member, project.visibility);
  }));
}

Result<Reply<ProjectMemberView>> putProjectMember(const ProjectServices& services,
                                                  const Context& context,
                                                  const ProjectMemberPath& path,
                                                  const ProjectRoleBody& body) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const User user = TRY(services.users.findByUsername(path.username));
  const ProjectMember member = TRY(services.projects.setRole(project.id, user.id, body.role));
  return Reply(projectMemberViewOf(member, project.visibility));
}

Result<Reply<Nothing>> removeProjectMember(const ProjectServices& services,
                                           const Context& context,
                                           const ProjectMemberPath& path) {
  const Project project = TRY(requireProject(services, context, path, Action::kManageProject));
  const User user = TRY(services.users.findByUsername(path.username));
  TRY(services.projects.removeRole(project.id, user.id));
  return Reply(Nothing{});
}

void addProjectMemberRoutes(http::Router& router,
                            const ProjectServices& services,
                            const http::RoutePolicy& policy) {
  http::Parameters<MembersPath> members_path = http::pageParameters<MembersPath>();
  router.add(Endpoint<MembersPath, Nothing, http::PageReply<ProjectMemberView>>{
      .method = Method::kGet,
      .path = "/api/v1/projects/{team}/{project}/members",
      .operation_id = "listProjectMembers",
      .summary = "List the members of a project and their roles",
      .tag = kTag,
      .policy = policy,
      .params = addProjectPath(members_path),
      .reply = http::pageCodec("ProjectMemberPage", projectMemberCodec()),
      .handler = [services](const Context& context, const MembersPath& path,
                            Nothing) { return listProjectMembers(services, context, path); },
  });
  router.add(Endpoint<ProjectMemberPath, ProjectRoleBody, ProjectMemberView>{
      .method = Method::kPut,
      .path = "/api/v1/projects/{team}/{project}/members/{username}",
      .operation_id = "putProjectMember",
      .summary = "Give a member of the team a role in a project",
      .description = "Also adds the member to a restricted project. If the role equals the team "
                     "role, the project role follows the team role. For admins of the project.",
      .tag = kTag,
      .policy = policy,
      .params = projectMemberPath(),
      .body = schema::Record<ProjectRoleBody>("ProjectRole", Extra::kForbid)
                  .required("role", &ProjectRoleBody::role, teamRoleCodec(), "")
                  .codec(),
      .reply = projectMemberCodec(),
      .handler =
          [services](const Context& context, const ProjectMemberPath& path, ProjectRoleBody body) {
            return putProjectMember(services, context, path, body);
          },
  });
  router.add(Endpoint<ProjectMemberPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/api/v1/projects/{team}/{project}/members/{username}",
      .operation_id = "removeProjectMember",
      .summary = "Remove the project role of a member",
      .description = "For admins of the project.",
      .tag = kTag,
      .success_status = 204,
      .policy = policy,
      .params = projectMemberPath(),
      .handler = [services](const Context& context, const ProjectMemberPath& path,
                            Nothing) { return removeProjectMember(services, context, path); },
  });
}

}  // namespace

void addProjectRoutes(http::Router& router,
                      const ProjectServices& services,
                      const http::RoutePolicy& policy) {
  http::Parameters<ProjectPath> project_path;
  addProjectPath(project_path);
  router.add(Endpoint<Nothing, NewProjectBody, ProjectView>{
      .method = Method::kPost,
      .path = "/api/v1/projects",
      .operation_id = "createProject",
      .summary = "Add a project",
      .description =
          "For members of the team. The first write to a missing project also creates it.",
      .tag = kTag,
      .success_status = 201,
      .facts = {.etag = true},
      .policy = policy,
      .body = newCodec(),
      .reply = viewCodec(),
      .handler = [services](const Context& context, const Nothing&,
                            const NewProjectBody& body) { return create(services, context, body); },
  });
  router.add(Endpoint<ListQuery, Nothing, http::PageReply<ProjectView>>{
      .method = Method::kGet,
      .path = "/api/v1/projects",
      .operation_id = "listProjects",
      .summary = "List projects",
      .description = "Projects of one team, or of all teams of the caller; newest first.",
      .tag = kTag,
      .policy = policy,
      .params = http::pageParameters<ListQuery>().query(
          "team", &ListQuery::team, schema::nullable(string()), "Only projects of this team."),
      .reply = http::pageCodec("ProjectPage", viewCodec()),
      .handler = [services](const Context& context, const ListQuery& query,
                            Nothing) { return list(services, context, query); },
  });
  router.add(Endpoint<ProjectPath, Nothing, ProjectView>{
      .method = Method::kGet,
      .path = "/api/v1/projects/{team}/{project}",
      .operation_id = "getProject",
      .summary = "Show a project",
      .tag = kTag,
      .facts = {.etag = true},
      .policy = policy,
      .params = project_path,
      .reply = viewCodec(),
      .handler = [services](const Context& context, const ProjectPath& path,
                            Nothing) { return show(services, context, path); },
  });
  router.add(Endpoint<ProjectPath, ProjectChange, ProjectView>{
      .method = Method::kPatch,
      .path = "/api/v1/projects/{team}/{project}",
      .operation_id = "changeProject",
      .summary = "Change the visibility or description of a project",
      .description = "For admins of the project.",
      .tag = kTag,
      .facts = {.etag = true, .if_match = true},
      .policy = policy,
      .params = project_path,
      .body = changeCodec(),
      .reply = viewCodec(),
      .handler = [services](
                     const Context& context, const ProjectPath& path,
                     const ProjectChange& body) { return change(services, context, path, body); },
  });
  router.add(Endpoint<ProjectPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/api/v1/projects/{team}/{project}",
      .operation_id = "deleteProject",
      .summary = "Delete a project with all its data",
      .description =
          "For admins of the project. 409 `protected_alias` while a protected alias of a "
          "registry points at one of its versions.",
      .tag = kTag,
      .success_status = 204,
      .facts = {.if_match = true},
      .policy = policy,
      .params = project_path,
      .handler = [services](const Context& context, const ProjectPath& path,
                            Nothing) { return remove(services, context, path); },
  });
  addProjectMemberRoutes(router, services, policy);
}

}  // namespace spindle::identity
