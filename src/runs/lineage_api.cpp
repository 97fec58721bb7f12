#include <utility>

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "registry/artifacts/names.h"
#include "registry/routes/artifact_resolver.h"
#include "registry/routes/artifact_view.h"
#include "runs/lineage_repository.h"
#include "runs/run_view.h"

namespace spindle::runs {
namespace {

using http::Context, identity::ProjectAccess;
using schema::nullable, schema::string;

struct InputPath : RunPath {
  std::string artifact;
};
struct LineagePath : RunPath, http::PageQuery {};

/// The JSON representation of a version. Contains only the id and time if the caller may not read
/// the version.
struct ArtifactView {
  std::string id;
  std::optional<std::string> path;
  std::optional<std::string> type;
  std::optional<std::string> digest;
  std::optional<std::int64_t> size;
  Timestamp at;
};

schema::Codec<ArtifactView> viewCodec() {
  return schema::Record<ArtifactView>("RunArtifact")
      .required("id", &ArtifactView::id, string(), "`art_…`")
      .required("path", &ArtifactView::path, nullable(string()),
                "`entity/project/collection:v3`; null without permission to read it.")
      .required("type", &ArtifactView::type, nullable(string()))
      .required("digest", &ArtifactView::digest, nullable(string()))
      .required("size", &ArtifactView::size, nullable(schema::integer()), "Bytes of all files.")
      .required("at", &ArtifactView::at, schema::dateTime(), "Time of the use or of the commit.")
      .codec();
}

Result<void> addInput(const RunServices& services, const Context& context, const InputPath& path) {
  const registry::Place place =
      TRY(authorize(services, context, path, identity::Action::kWriteProject));
  registry::ArtifactPathContext path_context;
  path_context.where.team = path.team;
  path_context.where.project = path.project;
  path_context.loc = {LocStep("path"), LocStep("artifact")};
  const registry::ResolvedVersion named =
      TRY(registry::resolveVersion(services.registry, context, path.artifact, path_context,
                                   identity::Action::kDownloadFromRegistry));
  TRY(services.lineage.addInput({place.project_id, path.run}, named.version.id,
                                registry::callerOf(context)));
  return {};
}

ArtifactView artifactViewOf(const RunServices& services,
                            const Context& context,
                            const RunArtifact& artifact) {
  ArtifactView view;
  view.id = registry::artifactIdText(artifact.id);
  view.at = artifact.time;
  const Result<ProjectAccess> access =
      services.access.readProject(context.caller().user_id, artifact.entity, artifact.project);
  if (!access) return view;
  view.path = artifact.entity + "/" + artifact.project + "/" + artifact.collection + ":v" +
              std::to_string(artifact.index.value_or(0));
  view.type = artifact.type;
  view.digest = artifact.digest;
  view.size = artifact.size_bytes;
  return view;
}

using List = Result<identity::Page<RunArtifact>> (LineageRepository::*)(
    const RunKey&, const identity::PageRequest&);

Result<http::PageReply<ArtifactView>> listArtifacts(const RunServices& services,
                                                    const Context& context,
                                                    const LineagePath& path,
                                                    List which) {
  const std::string project = TRY(readableProject(services, context, path));
  const identity::PageRequest request = TRY(registry::numericPageRequest(path));
  const identity::Page<RunArtifact> page =
      TRY((services.lineage.*which)({project, path.run}, request));
  return identity::pageReply<ArtifactView>(page, [&](const RunArtifact& artifact) {
    return artifactViewOf(services, context, artifact);
  });
}

}  // namespace

void addLineageRoutes(RunRoutes routes) {
  http::Parameters<InputPath> input_path;
  addRunPath(input_path)
      .path("artifact", &InputPath::artifact, string({.max_length = 4096}),
            "`art_…`, or a path as in /artifacts/resolve.");
  routes.put("/api/v1/projects/{team}/{project}/runs/{run}/inputs/{artifact}",
             {"addRunInput", "Record that a run uses an artifact"}, {.params = input_path},
             addInput);
  const auto lineage_path = [] {
    http::Parameters<LineagePath> parameters = http::pageParameters<LineagePath>();
    return addRunPath(parameters);
  };
  routes.get("/api/v1/projects/{team}/{project}/runs/{run}/inputs",
             {"listRunInputs", "List the input artifacts of a run", "Newest versions first."},
             {.params = lineage_path(), .reply = http::pageCodec("RunArtifactPage", viewCodec())},
             [](const RunServices& services, const Context& context, const LineagePath& path) {
               return listArtifacts(services, context, path, &LineageRepository::inputs);
             });
  routes.get("/api/v1/projects/{team}/{project}/runs/{run}/outputs",
             {"listRunOutputs", "List the output artifacts of a run",
              "Versions of the project that were created with the id of the run, newest "
              "first."},
             {.params = lineage_path(), .reply = http::pageCodec("RunArtifactPage", viewCodec())},
             [](const RunServices& services, const Context& context, const LineagePath& path) {
               return listArtifacts(services, context, path, &LineageRepository::outputs);
             });
}

}  // namespace spindle::runs
