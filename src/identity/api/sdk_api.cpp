#include "identity/api/sdk_api.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/message/origin.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/access/default_team.h"
#include "identity/api/graphql_operation.h"
#include "identity/store/team_repository.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::Codec, schema::ifPresent, schema::nullable, schema::Record, schema::string;

constexpr std::size_t kMaxProjects = 1000;

struct ServerInfo {
  std::string minimum_client = "0.0.0";
  std::optional<std::string> version;
};

struct ProjectsInfoBody {
  std::vector<std::string> project_ids;
};

struct ProjectInfo {
  std::string external_id;
  std::string internal_id;
};

/// The variables of all supported operations, with the names that clients use.
struct Variables {
  std::optional<std::string> name;
  std::optional<std::string> entity_name;
  std::optional<std::string> entity;
};

struct GraphqlBody {
  std::string query;
  std::optional<std::string> operation_name;
  std::optional<Variables> variables;
};

struct Named {
  std::string name;
};
struct ViewerView {
  std::string username;
  std::optional<Named> default_entity;
};
struct EntityView {
  bool read_only = false;
};
struct ModelView {
  std::string name;
  std::optional<std::string> description;
};
struct UpsertView {
  ModelView model;
};
struct HostView {
  std::string frontend_host;
};

/// The result of an operation: the members that it asks for, of which some may be null.
struct GraphqlData {
  std::optional<ViewerView> viewer;
  std::optional<std::optional<EntityView>> entity;
  std::optional<std::optional<Named>> project;
  std::optional<UpsertView> upserted_model;
  std::optional<HostView> server_info;
};

struct GraphqlError {
  std::string message;
  std::optional<schema::MapOf<std::string>> extensions;
};
struct GraphqlReply {
  std::optional<GraphqlData> data;
  std::optional<std::vector<GraphqlError>> errors;
};

Codec<ServerInfo> serverInfoCodec() {
  return Record<ServerInfo>("ServerInfo")
      .required("min_required_svc_python_version", &ServerInfo::minimum_client, string(),
                "Oldest client version that the server supports.")
      .required("trace_server_version", &ServerInfo::version, nullable(string()))
      .codec();
}

Codec<ProjectsInfoBody> projectsInfoCodec() {
  return Record<ProjectsInfoBody>("ProjectsInfoRequest")
      .required("project_ids", &ProjectsInfoBody::project_ids,
                schema::list(string(), {.max_items = kMaxProjects}),
                "Projects as `<entity>/<project>`.")
      .codec();
}

Codec<std::vector<ProjectInfo>> projectInfosCodec() {
  return schema::list(Record<ProjectInfo>("ProjectInfo")
                          .required("external_project_id", &ProjectInfo::external_id, string(),
                                    "As in the request.")
                          .required("internal_project_id", &ProjectInfo::internal_id, string(),
                                    "Never changes while the project exists.")
                          .codec());
}

Codec<GraphqlBody> graphqlCodec() {
  const Codec<Variables> variables =
      Record<Variables>("GraphqlVariables")
          .optional("name", &Variables::name, nullable(string()), "Name of a project.")
          .optional("entityName", &Variables::entity_name, nullable(string()))
          .optional("entity", &Variables::entity, nullable(string()))
          .codec();
  return Record<GraphqlBody>("GraphqlRequest")
      .required("query", &GraphqlBody::query, string(), "The document.")
      .optional("operationName", &GraphqlBody::operation_name, nullable(string()),
                "Name of the operation; read from the document when left out.")
      .optional("variables", &GraphqlBody::variables, nullable(variables))
      .codec();
}

Codec<Named> namedCodec() {
  return Record<Named>("GraphqlName").required("name", &Named::name, string()).codec();
}

Codec<GraphqlData> graphqlDataCodec() {
  const auto viewer = Record<ViewerView>("GraphqlViewer")
                          .required("username", &ViewerView::username, string())
                          .required("defaultEntity", &ViewerView::default_entity,
                                    nullable(namedCodec()), "Default team.")
                          .codec();
  const auto entity = Record<EntityView>("GraphqlEntity")
                          .required("readOnly", &EntityView::read_only, schema::boolean())
                          .codec();
  const auto model = Record<ModelView>("GraphqlModel")
                         .required("name", &ModelView::name, string())
                         .required("description", &ModelView::description, nullable(string()))
                         .codec();
  const auto upsert =
      Record<UpsertView>("GraphqlUpsert").required("model", &UpsertView::model, model).codec();
  const auto host = Record<HostView>("GraphqlHost")
                        .required("frontendHost", &HostView::frontend_host, string())
                        .codec();
  return Record<GraphqlData>("GraphqlData")
      .optional("viewer", &GraphqlData::viewer, ifPresent(viewer))
      .optional("entity", &GraphqlData::entity, ifPresent(nullable(entity)))
      .optional("project", &GraphqlData::project, ifPresent(nullable(namedCodec())))
      .optional("upsertModel", &GraphqlData::upserted_model, ifPresent(upsert))
      .optional("serverInfo", &GraphqlData::server_info, ifPresent(host))
      .codec();
}

Codec<GraphqlReply> graphqlReplyCodec() {
  const auto error =
      Record<GraphqlError>("GraphqlError")
          .required("message", &GraphqlError::message, string())
          .optional("extensions", &GraphqlError::extensions, ifPresent(schema::map(string())))
          .codec();
  return Record<GraphqlReply>("GraphqlReply")
      .required("data", &GraphqlReply::data, nullable(graphqlDataCodec()))
      .optional("errors", &GraphqlReply::errors, ifPresent(schema::list(error)))
      .codec();
}

Result<std::vector<ProjectInfo>> projectsInfo(const SdkServices& services,
                                              const Context& context,
                                              const ProjectsInfoBody& body) {
  std::vector<ProjectInfo> infos;
  infos.reserve(body.project_ids.size());
  for (const std::string& project_id : body.project_ids) {
    const ProjectAccess access =
        TRY(services.access.readProject(context.caller().user_id, project_id));
    if (!access.exists()) return Error::notFound("Project " + project_id + " does not exist yet");
    infos.push_back({project_id, access.project_id});
  }
  return infos;
}

/// Executes GraphQL operations by name.
class GraphqlOperations {
 public:
  GraphqlOperations(const SdkServices& services, const Context& context)
      : services_(services), context_(context) {}

  Result<GraphqlData> execute(const GraphqlBody& body) {
    const std::string name = body.operation_name.value_or(operationName(body.query));
    const Variables variables = body.variables.value_or(Variables());
    if (name == "DefaultEntity" || name == "Viewer") return viewer();
    if (name == "Entity") return entity(variables.entity_name.value_or(""));
    if (name == "Project")
      return project(variables.entity_name.value_or(""), variables.name.value_or(""));
    if (name == "UpsertModel")
      return upsertProject(variables.entity.value_or(variables.entity_name.value_or("")),
                           variables.name.value_or(""));
    if (name == "ServerInfo") return serverInfo();
    return Error::invalidArgument("Unknown operation: " + name);
  }

 private:
  Result<GraphqlData> viewer() {
    const http::Principal& caller = context_.caller();
    const std::optional<std::string> team =
        TRY(defaultTeamOf(services_.teams, services_.access, caller.user_id, caller.username));
    GraphqlData data;
    ViewerView& view = data.viewer.emplace();
    view.username = caller.username;
    if (team) view.default_entity = Named{*team};
    return data;
  }

  Result<GraphqlData> entity(const std::string& name) {
    GraphqlData data = TRY(viewer());
    const Result<TeamAccess> access =
        services_.access.requireInTeam(context_.caller().user_id, name, Action::kWriteProject);
    const bool seen = access || access.error().code() == ErrorCode::kPermissionDenied;
    data.entity.emplace();
    if (seen) data.entity->emplace().read_only = !access.has_value();
    return data;
  }

  Result<GraphqlData> project(const std::string& team, const std::string& name) {
    const Result<ProjectAccess> access =
        services_.access.readProject(context_.caller().user_id, team, name);
    if (!access && access.error().code() != ErrorCode::kNotFound) return access.error();
    GraphqlData data;
    data.project.emplace();
    if (access && access->exists()) data.project->emplace().name = name;
    return data;
  }

  Result<GraphqlData> upsertProject(const std::string& team, const std::string& name) {
    TRY(services_.access.writeProject(context_.caller().user_id, team, name));
    GraphqlData data;
    data.upserted_model.emplace().model.name = name;
    return data;
  }

  GraphqlData serverInfo() {
    // The console has the origin of the API. Clients build links with it.
    GraphqlData data;
    data.server_info = HostView{http::originOf(context_.request)};
    return data;
  }

  const SdkServices& services_;
  const Context& context_;
};

GraphqlError graphqlErrorOf(const Error& error) {
  GraphqlError shown;
  shown.message = error.message();
  if (error.code() == ErrorCode::kPermissionDenied || error.code() == ErrorCode::kNotFound) {
    shown.extensions.emplace().emplace_back("code", "PERMISSION_ERROR");
  }
  return shown;
}

/// An error is a response with status 200, too.
Result<json::Text> executeGraphql(const SdkServices& services,
                                  const Context& context,
                                  const GraphqlBody& body) {
  static const Codec<GraphqlReply> codec = graphqlReplyCodec();
  Result<GraphqlData> data = GraphqlOperations(services, context).execute(body);
  GraphqlReply reply;
  if (data) {
    reply.data = *std::move(data);
  } else {
    reply.errors.emplace().push_back(graphqlErrorOf(data.error()));
  }
  return json::Text{codec.toJson(reply)};
}

}  // namespace

void addSdkRoutes(SdkRoutes routes) {
  routes.setTag("service");
  routes.get("/server_info", {"getServerInfo", "Show the client versions that the server supports"},
             {.reply = serverInfoCodec()},
             [version = routes.services().version]() -> Result<ServerInfo> {
               ServerInfo info;
               info.version = version;
               return info;
             });
  routes.post("/service/projects_info",
              {"getProjectsInfo", "Get the internal ids of projects",
               "In the order of the request. Clients need them to compute digests in advance."},
              {.body = projectsInfoCodec(), .reply = projectInfosCodec()}, projectsInfo);
  routes.post("/graphql",
              {"graphql", "Execute a GraphQL operation of SDKs",
               "Supports these operations by name: DefaultEntity, Entity, Project, UpsertModel, "
               "ServerInfo."},
              {.body = graphqlCodec(), .reply = schema::jsonObject()}, executeGraphql);
}

}  // namespace spindle::identity
