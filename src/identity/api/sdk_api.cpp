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
using schema::Codec, schema::nullable, schema::Record, schema::string;

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

Codec<ServerInfo> serverInfoCodec() {
  return Record<ServerInfo>("ServerInfo")
      .required("min_required_svc_python_version", &ServerInfo::minimum_client, string(),
                "Oldest client version that the server supports.")
      .required("trace_server_version", &ServerInfo::version, nullable(string()), "")
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
          .optional("entityName", &Variables::entity_name, nullable(string()), "")
          .optional("entity", &Variables::entity, nullable(string()), "")
          .codec();
  return Record<GraphqlBody>("GraphqlRequest")
      .required("query", &GraphqlBody::query, string(), "The document.")
      .optional("operationName", &GraphqlBody::operation_name, nullable(string()),
                "Name of the operation; read from the document when left out.")
      .optional("variables", &GraphqlBody::variables, nullable(variables), "")
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

/// Executes GraphQL operations by name. An error is a response with status 200, too.
class GraphqlOperations {
 public:
  GraphqlOperations(const SdkServices& services, const Context& context)
      : services_(services), context_(context) {}

  json::Text execute(const GraphqlBody& body) {
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
    return failure(Error::invalidArgument("Unknown operation: " + name));
  }

 private:
  /// Returns {"data": …}; `content` writes its members.
  template <class Content>
  static json::Text data(Content content) {
    json::Text text{{}};
    json::Writer out(text.json);
    out.beginObject().key("data").beginObject();
    content(out);
    out.endObject().endObject();
    return text;
  }

  static json::Text failure(const Error& error) {
    const bool denied =
        error.code() == ErrorCode::kPermissionDenied || error.code() == ErrorCode::kNotFound;
    json::Text text{{}};
    json::Writer out(text.json);
    out.beginObject().key("data").null().key("errors").beginArray().beginObject();
    out.key("message").string(error.message());
    if (denied) {
      out.key("extensions").beginObject().key("code").string("PERMISSION_ERROR").endObject();
    }
    out.endObject().endArray().endObject();
    return text;
  }

  static void writeViewer(json::Writer& out,
                          const std::string& username,
                          const std::optional<std::string>& team) {
    out.key("viewer").beginObject().key("username").string(username).key("defaultEntity");
    if (team) {
      out.beginObject().key("name").string(*team).endObject();
    } else {
      out.null();
    }
    out.endObject();
  }

  Result<std::optional<std::string>> defaultTeam() {
    const http::Principal& caller = context_.caller();
    return defaultTeamOf(services_.teams, services_.access, caller.user_id, caller.username);
  }

  json::Text viewer() {
    const Result<std::optional<std::string>> team = defaultTeam();
    if (!team) return failure(team.error());
    return data(
        [this, &team](json::Writer& out) { writeViewer(out, context_.caller().username, *team); });
  }

  json::Text entity(const std::string& name) {
    const Result<std::optional<std::string>> team = defaultTeam();
    if (!team) return failure(team.error());
    const Result<TeamAccess> access =
        services_.access.requireInTeam(context_.caller().user_id, name, Action::kWriteProject);
    const bool seen = access || access.error().code() == ErrorCode::kPermissionDenied;
    return data([&](json::Writer& out) {
      writeViewer(out, context_.caller().username, *team);
      out.key("entity");
      if (seen) {
        out.beginObject().key("readOnly").boolean(!access.has_value()).endObject();
      } else {
        out.null();
      }
    });
  }

  json::Text project(const std::string& team, const std::string& name) {
    const Result<ProjectAccess> access =
        services_.access.readProject(context_.caller().user_id, team, name);
    if (!access && access.error().code() != ErrorCode::kNotFound) return failure(access.error());
    const bool exists = access && access->exists();
    return data([exists, &name](json::Writer& out) {
      out.key("project");
      if (exists) {
        out.beginObject().key("name").string(name).endObject();
      } else {
        out.null();
      }
    });
  }

  json::Text upsertProject(const std::string& team, const std::string& name) {
    const Result<ProjectAccess> access =
        services_.access.writeProject(context_.caller().user_id, team, name);
    if (!access) return failure(access.error());
    return data([&name](json::Writer& out) {
      out.key("upsertModel").beginObject().key("model").beginObject();
      out.key("name").string(name).key("description").null().endObject().endObject();
    });
  }

  json::Text serverInfo() {
    // The console has the origin of the API. Clients build links with it.
    const std::string origin = http::originOf(context_.request);
    return data([&](json::Writer& out) {
      out.key("serverInfo").beginObject().key("frontendHost").string(origin).endObject();
    });
  }

  const SdkServices& services_;
  const Context& context_;
};

Result<json::Text> executeGraphql(const SdkServices& services,
                                  const Context& context,
                                  const GraphqlBody& body) {
  return GraphqlOperations(services, context).execute(body);
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
