#include "app/console/version_uses.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "evaluation/recording/call_names.h"
#include "evaluation/scoring/model_spec.h"
#include "identity/access/access.h"
#include "json/document.h"
#include "json/members.h"
#include "json/stored.h"
#include "objects/store/object_repository.h"
#include "objects/values/ref.h"
#include "registry/artifacts/artifact_path.h"
#include "registry/repositories/version_repository.h"
#include "tracing/store/call_store.h"
#include "training/jobs/job_repository.h"
#include "wire/spelling.h"

namespace spindle::app {
namespace {

constexpr int kMaxReadRows = 1000;  ///< jobs, files and objects that are read

/// Returns the place and number of the version in its source collection.
registry::Source sourceOf(const registry::Place& place, const registry::Version& version) {
  if (version.source) return *version.source;
  return {place.entity, place.project, version.collection_id, version.collection,
          version.index.value_or(0)};
}

/// Returns true if the text names the version, by its id, number or an alias.
bool names(const std::string& text,
           const registry::Source& source,
           const registry::Version& version) {
  const Result<registry::ArtifactPath> path = registry::parseArtifactPath(text);
  if (!path) return false;
  if (path->id) return *path->id == version.id;
  if (path->collection != source.collection) return false;
  if (!path->project.empty() && path->project != source.project) return false;
  if (!path->entity.empty() && path->entity != source.entity) return false;
  const std::string number = "v" + std::to_string(source.index);
  const auto& aliases = version.aliases;
  return path->version == number ||
         std::find(aliases.begin(), aliases.end(), path->version) != aliases.end();
}

/// Returns true if the text may have named the version when it was written: aliases move.
bool mayName(const std::string& text,
             const registry::Source& source,
             const registry::Version& version) {
  const Result<registry::ArtifactPath> path = registry::parseArtifactPath(text);
  if (!path) return false;
  if (path->id) return *path->id == version.id;
  const bool is_number = objects::versionNumber(path->version).has_value();
  if (is_number) return names(text, source, version);
  return path->collection == source.collection;
}

std::string refOf(const std::string& project_id, const objects::ObjectVersion& object) {
  objects::Ref ref;
  ref.project = project_id;
  ref.name = object.object_id;
  ref.version = object.digest;
  return objects::printRef(ref);
}

/// Returns the op names of evaluation runs: of the server, and of SDKs, which publish the op.
std::vector<std::string> evaluateOps(const std::string& project_id) {
  const std::string op(evaluation::kEvaluateOp);
  const std::string_view scheme =
      wire::schemeText(wire::RefScheme::kInternal, wire::Spelling::kNeutral);
  return {op, std::string(scheme) + project_id + "/op/" + op + ":*"};
}

/// Returns the model that a model object names: `model` of the server's kinds and of objects of
/// SDKs, whose code requests that model. Returns "" if the object names none.
std::string namedModel(const std::string& object) {
  const Result<evaluation::ModelSpec> spec = evaluation::modelSpecOf(object);
  if (spec) return spec->model;
  const json::Document document = json::parseStored(object);
  return json::textIn(document.root(), "model");
}

/// Returns the name of the model that the call used.
std::string modelOf(const tracing::Call& call, const NamesByRef& models) {
  for (const std::string& ref : call.input_refs) {
    if (const auto model = models.find(ref); model != models.end()) return model->second;
  }
  return "";
}

}  // namespace

Result<VersionUse> VersionUses::find(const std::string& user_id,
                                     const registry::Place& place,
                                     const registry::Version& version) const {
  const registry::Source source = sourceOf(place, version);
  VersionUse use;
  TRY(addRuns(user_id, version, use));
  TRY(addJobs(user_id, source, version, use));
  TRY(addEvaluations(user_id, source, version, use));
  return use;
}

Result<bool> VersionUses::reads(const std::string& user_id,
                                std::string_view team,
                                std::string_view project) const {
  const Result<identity::ProjectAccess> access = ports_.access.readProject(user_id, team, project);
  if (access) return access->exists();
  if (access.error().code() == ErrorCode::kUnavailable) return access.error();
  return false;
}

Result<void> VersionUses::addRuns(const std::string& user_id,
                                  const registry::Version& version,
                                  VersionUse& use) const {
  std::vector<runs::RunUse> found = TRY(ports_.lineage.usersOf(version.id, kMaxReadRows));
  use.truncated = use.truncated || found.size() == kMaxReadRows;
  for (runs::RunUse& run : found) {
    const bool visible = TRY(reads(user_id, run.entity, run.project));
    if (!visible) continue;
    if (use.runs.size() == kMaxUses) {
      use.truncated = true;
      break;
    }
    use.runs.push_back(std::move(run));
  }
  return {};
}

Result<void> VersionUses::addJobs(const std::string& user_id,
                                  const registry::Source& source,
                                  const registry::Version& version,
                                  VersionUse& use) const {
  const std::vector<registry::ManifestEntry> entries =
      TRY(ports_.versions.entries(version.id, "", "", kMaxReadRows));
  std::set<std::string> digests;
  for (const registry::ManifestEntry& entry : entries) digests.insert(entry.digest);
  std::vector<training::Job> found =
      TRY(ports_.jobs.withArtifactData(version.team_id, kMaxReadRows));
  use.truncated = use.truncated || found.size() == kMaxReadRows;
  for (training::Job& job : found) {
    if (!digests.contains(job.data.digest) || !mayName(job.data.url, source, version)) continue;
    const bool visible = TRY(reads(user_id, job.place.entity, job.place.project));
    if (!visible) continue;
    if (use.jobs.size() == kMaxUses) {
      use.truncated = true;
      break;
    }
    use.jobs.push_back(std::move(job));
  }
  return {};
}

Result<void> VersionUses::addEvaluations(const std::string& user_id,
                                         const registry::Source& source,
                                         const registry::Version& version,
                                         VersionUse& use) const {
  const Result<identity::ProjectAccess> access =
      ports_.access.readProject(user_id, source.entity, source.project);
  if (!access && access.error().code() == ErrorCode::kUnavailable) return access.error();
  if (!access || !access->exists()) return {};
  const NamesByRef models = TRY(modelsWith(access->project_id, source, version));
  if (models.empty()) return {};
  tracing::CallQuery with_model;
  with_model.filter.input_refs.emplace();
  for (const auto& [ref, name] : models) with_model.filter.input_refs->push_back(ref);
  with_model.filter.op_names = evaluateOps(access->project_id);
  const std::unique_ptr<tracing::CallView> view =
      TRY(ports_.calls.view({access->project_id, source.entity + "/" + source.project}));
  tracing::CallPage newest;
  newest.sort_by = std::vector<query::SortKey>{{"started_at", true}};
  newest.limit = kMaxUses + 1;
  const std::unique_ptr<tracing::CallReader> reader =
      TRY(view->read(with_model, newest,
                     {tracing::CallColumn::kId, tracing::CallColumn::kStartedAt,
                      tracing::CallColumn::kInputRefs}));
  while (true) {
    const std::vector<tracing::Call> calls = TRY(reader->next());
    if (calls.empty()) return {};
    for (const tracing::Call& call : calls) {
      if (use.evaluations.size() == kMaxUses) {
        use.truncated = true;
        return {};
      }
      use.evaluations.push_back({source.entity, source.project, call.id, modelOf(call, models),
                                 call.started_at.value_or(Timestamp())});
    }
  }
}

Result<NamesByRef> VersionUses::modelsWith(const std::string& project_id,
                                           const registry::Source& source,
                                           const registry::Version& version) const {
  objects::ObjectQuery query;
  query.filter.is_op = false;  // models need no class
  query.order = {{objects::ObjectOrder::Field::kCreatedAt, /*descending=*/true}};
  query.limit = kMaxReadRows;
  std::vector<objects::ObjectVersion> models = TRY(ports_.objects.query(project_id, query));
  TRY(ports_.objects.loadValues(models, 0, models.size()));
  NamesByRef found;
  for (const objects::ObjectVersion& model : models) {
    const std::string named = namedModel(model.value);
    if (!registry::isArtifactUri(named) || !names(named, source, version)) continue;
    found.emplace(refOf(project_id, model), model.object_id);
  }
  return found;
}

}  // namespace spindle::app
