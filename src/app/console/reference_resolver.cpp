#include "app/console/reference_resolver.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "agents/store/span_store.h"
#include "app/console/project_search.h"
#include "automation/api/delivery_service.h"
#include "http/message/uri.h"
#include "identity/access/access.h"
#include "identity/store/project_repository.h"
#include "identity/types/names.h"
#include "json/writer.h"
#include "objects/store/object_repository.h"
#include "objects/values/ref.h"
#include "registry/routes/artifact_resolver.h"
#include "runs/run_repository.h"
#include "training/jobs/job_service.h"

namespace spindle::app {
namespace {

using http::Context;
using Found = std::optional<ResolvedReference>;

constexpr std::chrono::seconds kSearchTime{5};
constexpr std::string_view kDeliveryPrefix = "dlv_";

/// Returns nothing for an object that does not exist or that the caller cannot see.
template <class T>
Result<std::optional<T>> unlessHidden(Result<T> found) {
  if (found) return std::optional<T>(*std::move(found));
  const ErrorCode code = found.error().code();
  if (code == ErrorCode::kNotFound || code == ErrorCode::kPermissionDenied) {
    return std::optional<T>();
  }
  return std::move(found).error();
}

Error nothingFound(const std::vector<std::string_view>& kinds, bool truncated) {
  std::string message = "Nothing found. Looked for:";
  std::string list;
  json::Writer out(list);
  out.beginArray();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    message.append(i == 0 ? " " : ", ").append(kinds[i]);
    out.string(kinds[i]);
  }
  out.endArray();
  message += ".";
  if (truncated) message += " Not all projects were searched: name the project.";
  return Error::notFound(message).with("kinds", std::move(list));
}

}  // namespace

/// The projects to search.
struct ReferenceResolver::Search {
  std::vector<SearchedProject> projects;
  bool truncated = false;
};

Result<ReferenceResolver::Search> ReferenceResolver::projectsOf(const Context& context,
                                                                const std::string& project) const {
  const std::string& user_id = context.caller().user_id;
  Search search;
  if (!project.empty()) {
    const identity::ProjectName name = TRY(identity::splitProjectName(project));
    const identity::ProjectAccess access =
        TRY(ports_.access.readProject(user_id, name.entity, name.project));
    if (access.exists()) search.projects.push_back({access.project_id, name.entity, name.project});
    return search;
  }
  const bool sees_all = TRY(ports_.access.isOrganizationAdmin(user_id));
  const identity::Page<identity::Project> page =
      TRY(ports_.projects.listForUser(user_id, sees_all, {kMaxProjects, {}}));
  search.truncated = page.next.has_value();
  for (const identity::Project& one : page.items) {
    search.projects.push_back({one.id, one.team_name, one.name});
  }
  return search;
}

Result<Found> ReferenceResolver::objectOf(const Context& context, const std::string& ref) const {
  const objects::Ref parsed = TRY(objects::parseRef(ref));
  if (parsed.scheme != wire::RefScheme::kExternal) return Found();
  const identity::ProjectName name = TRY(identity::splitProjectName(parsed.project));
  const std::optional<identity::ProjectAccess> access = TRY(
      unlessHidden(ports_.access.readProject(context.caller().user_id, name.entity, name.project)));
  if (!access || !access->exists()) return Found();
  const SearchedProject project{access->project_id, name.entity, name.project};
  switch (parsed.kind) {
    case objects::RefKind::kCall:
      return findCall(ports_.calls, project, parsed.name);
    case objects::RefKind::kAgentTurn:
      return findTrace(ports_.calls, ports_.spans, project, parsed.name);
    case objects::RefKind::kAgentSpan:
      return findSpan(ports_.spans, project, parsed.name);
    case objects::RefKind::kObject:
    case objects::RefKind::kOp:
      break;
    default:
      return Found();
  }
  const std::optional<objects::ObjectVersion> object = TRY(unlessHidden(
      ports_.objects.find(project.id, parsed.name, parsed.version, /*with_value=*/false)));
  if (!object) return Found();
  const bool is_op = object->classes.kind == objects::ObjectKind::kOp;
  const std::string base = is_op ? "Op" : object->classes.base.value_or("Object");
  const std::string folder =
      base == "Dataset" ? "datasets" : "objects/" + http::percentEncode(base);
  return Found({is_op ? "op" : "object", name.entity, name.project, ref,
                pageOf(project, folder + "/" + http::percentEncode(parsed.name)) +
                    "?version=" + http::percentEncode(object->digest)});
}

Result<Found> ReferenceResolver::artifactOf(const Context& context, const std::string& ref) const {
  registry::ArtifactPathContext path_context;
  path_context.loc = {LocStep("query"), LocStep("ref")};
  const std::optional<registry::ResolvedVersion> found = TRY(unlessHidden(registry::resolveVersion(
      ports_.registry, context, ref, path_context, identity::Action::kViewRegistry)));
  if (!found) return Found();
  const std::string tail = http::percentEncode(found->version.collection) + "/v" +
                           std::to_string(found->version.index.value_or(0));
  const registry::Place& place = found->place;
  if (!place.registry_id.empty()) {
    return Found({"artifact", place.entity, std::nullopt, ref,
                  "registries/" + http::percentEncode(place.registry) + "/" + tail});
  }
  const SearchedProject project{place.project_id, place.entity, place.project};
  return Found(
      {"artifact", place.entity, place.project, ref, pageOf(project, "artifacts/" + tail)});
}

Result<Found> ReferenceResolver::jobOf(const Context& context, const std::string& id) const {
  const http::Principal& caller = context.caller();
  const std::optional<training::Job> job = TRY(unlessHidden(
      ports_.jobs.require({caller.user_id, caller.username}, id, identity::Action::kReadProject)));
  if (!job) return Found();
  const SearchedProject project{job->place.project_id, job->place.entity, job->place.project};
  return Found({"job", project.team, project.name, job->id,
                pageOf(project, "training/" + http::percentEncode(job->id))});
}

Result<Found> ReferenceResolver::deliveryOf(const Context& context, const std::string& id) const {
  const std::optional<automation::DeliveryRecord> record =
      TRY(unlessHidden(ports_.deliveries.find(context.caller().user_id, id)));
  if (!record) return Found();
  const automation::Delivery& delivery = record->delivery;
  const std::string& team =
      delivery.webhook_team.empty() ? delivery.scope.team : delivery.webhook_team;
  const std::string& project = delivery.scope.project;
  return Found({"delivery", team, project.empty() ? std::nullopt : std::optional(project),
                delivery.id, "deliveries/" + http::percentEncode(delivery.id)});
}

Result<ResolvedReference> ReferenceResolver::resolve(const Context& context,
                                                     const std::string& ref,
                                                     const std::string& project) const {
  const wire::RefScheme scheme = wire::splitRef(ref).scheme;
  if (scheme != wire::RefScheme::kNone) {
    const bool is_artifact = scheme == wire::RefScheme::kArtifact;
    Found found = TRY(is_artifact ? artifactOf(context, ref) : objectOf(context, ref));
    if (found) return *std::move(found);
    if (is_artifact) return nothingFound({"artifact"}, false);
    return nothingFound({"object", "op", "call", "trace", "span"}, false);
  }
  if (ref.starts_with(kDeliveryPrefix)) {
    Found found = TRY(deliveryOf(context, ref));
    if (found) return *std::move(found);
    return nothingFound({"delivery"}, false);
  }
  Found job = TRY(jobOf(context, ref));
  if (job) return *std::move(job);

  Search search = TRY(projectsOf(context, project));
  for (const SearchedProject& one : search.projects) {
    const std::optional<runs::Run> run = TRY(unlessHidden(ports_.runs.find({one.id, ref})));
    if (!run) continue;
    return ResolvedReference{"run", one.team, one.name, ref,
                             pageOf(one, "runs/" + http::percentEncode(ref))};
  }
  // Projects without calls and spans cost nothing.
  const std::vector<std::string> stored = TRY(ports_.spans.projects());
  const std::set<std::string> partitions(stored.begin(), stored.end());
  const auto end = std::chrono::steady_clock::now() + kSearchTime;
  for (const SearchedProject& one : search.projects) {
    if (!partitions.contains(one.id)) continue;
    if (std::chrono::steady_clock::now() > end) {
      search.truncated = true;
      break;
    }
    Found call = TRY(findCall(ports_.calls, one, ref));
    if (call) return *std::move(call);
    Found trace = TRY(findTrace(ports_.calls, ports_.spans, one, ref));
    if (trace) return *std::move(trace);
    Found span = TRY(findSpan(ports_.spans, one, ref));
    if (span) return *std::move(span);
  }
  return nothingFound({"call", "trace", "span", "run", "job"}, search.truncated);
}

}  // namespace spindle::app
