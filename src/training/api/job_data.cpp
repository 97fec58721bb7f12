#include "training/api/job_data.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "json/stored.h"
#include "registry/repositories/blob_repository.h"
#include "registry/repositories/version_repository.h"
#include "training/data/artifact_writer.h"
#include "training/data/group_upload.h"
#include "training/jobs/job_service.h"

namespace spindle::training {
namespace {

constexpr int kMostFiles = 1000;

/// Converts lines to the items of a JSON array: replaces line ends with commas.
class LinesToItems {
 public:
  /// Appends the converted piece to `out`.
  void convert(std::string_view piece, std::string& out) {
    for (const char c : piece) {
      if (c == '\n' || c == '\r') {
        ended_ = written_;
        continue;
      }
      if (ended_) out.push_back(',');
      ended_ = false;
      written_ = true;
      out.push_back(c);
    }
  }

 private:
  bool written_ = false;  ///< a line has begun
  bool ended_ = false;    ///< a comma is due before the next line
};

/// Returns the first violation of groups as a message: its place in the file and its reason.
Error invalidGroups(const std::vector<Violation>& violations) {
  const Violation& first = violations.front();
  std::string place;
  // The location starts with body, trajectory_groups and the index of the group.
  for (std::size_t i = 2; i < first.loc.size(); ++i) {
    const LocStep& step = first.loc[i];
    if (const auto* index = std::get_if<std::int64_t>(&step)) {
      place += i == 2 ? "group " + std::to_string(*index + 1) + ": "
                      : "[" + std::to_string(*index) + "]";
    } else {
      if (i > 3) place += ".";
      place += std::get<std::string>(step);
    }
  }
  return Error::invalidArgument("The artifact does not contain trajectory groups: " + place + ": " +
                                first.msg);
}

Error noTrajectories() {
  return Error::invalidArgument(
      "The artifact does not contain trajectory groups: no line has trajectories. RL needs an "
      "export with the format rl.");
}

}  // namespace

Result<registry::ResolvedVersion> versionNamed(const TrainingServices& services,
                                               const http::Context& context,
                                               const std::string& text,
                                               std::string_view member) {
  Result<registry::ResolvedVersion> found = registry::resolveVersion(
      services.registry, context, text, {{}, {"body", std::string(member)}},
      identity::Action::kDownloadFromRegistry);
  if (found || found.error().code() == ErrorCode::kUnavailable) return found;
  return Error::invalidArgument("There is no artifact " + text + " that you can read, which " +
                                std::string(member) + " names.");
}

Result<JobData> dataAt(const TrainingServices& services,
                       const http::Context& context,
                       const std::string& url,
                       std::string_view member) {
  const registry::ResolvedVersion found = TRY(versionNamed(services, context, url, member));
  const std::vector<registry::ManifestEntry> entries =
      TRY(services.registry.versions.entries(found.version.id, "", "", kMostFiles));
  std::vector<std::string> paths;
  paths.reserve(entries.size());
  for (const registry::ManifestEntry& entry : entries) paths.push_back(entry.path);
  const std::string_view chosen =
      found.entry_path.empty() ? dataFileAmong(paths) : std::string_view(found.entry_path);
  for (const registry::ManifestEntry& entry : entries) {
    if (entry.path != chosen) continue;
    if (entry.ref)
      return Error::invalidArgument("The file " + entry.path +
                                    " is a reference and is not stored here.");
    JobData data;
    data.url = url;
    data.team_id = found.version.team_id;
    data.digest = entry.digest;
    data.size = entry.size;
    return data;
  }
  return Error::invalidArgument(
      "The artifact contains neither trajectories.jsonl nor train.jsonl, and not exactly one other "
      "*.jsonl file.");
}

Result<void> resolveReference(const TrainingServices& services,
                              const http::Context& context,
                              RlConfig& config) {
  if (!config.kl_ref_adapter_path) return {};
  const registry::ResolvedVersion reference =
      TRY(versionNamed(services, context, *config.kl_ref_adapter_path, "kl_ref_adapter_path"));
  config.reference_version = reference.version.id;
  config.reference_team = reference.version.team_id;
  return {};
}

Result<Job> createRlFrom(const TrainingServices& services,
                         const http::Context& context,
                         const std::string& model_id,
                         const std::string& url,
                         const RlConfig& config,
                         const JobResources& resources) {
  const JobData data = TRY(dataAt(services, context, url, "data_url"));
  registry::BlobContent content =
      TRY(services.registry.blobs.open(data.team_id, {data.digest, data.size}));
  Result<Job> job = Error::unavailable("The groups were not read.");
  std::unique_ptr<TrainingFileWriter> intake = TRY(services.files.receive());
  GroupUpload upload(std::move(intake),
                     {.coding = http::Coding::kIdentity,
                      .errors = http::ErrorShape::kDetail,
                      .largest = kLargestGroups,
                      .json_depth = json::kStoredDepth},
                     [&](const GroupUpload::Body& body) {
                       if (!body.violations.empty()) {
                         job = invalidGroups(body.violations);
                       } else if (body.summary.trajectories() == 0) {
                         job = noTrajectories();
                       } else {
                         job = services.jobs.createRl(callerOf(context), model_id, config,
                                                      body.summary, body.groups, url, resources);
                       }
                       return http::Response(200);
                     });
  const Error refused = Error::invalidArgument(
      "The artifact " + url + " does not contain valid lines of JSON, or more than 256 MiB.");
  std::string items = R"({"trajectory_groups":[)";
  LinesToItems lines;
  TRY(copyTo(content, [&](std::string_view piece) -> Result<void> {
    lines.convert(piece, items);
    const std::optional<http::Response> stopped = upload.take(items);
    items.clear();
    if (stopped) return refused;
    return {};
  }));
  items += "]}";
  if (upload.take(items)) return refused;
  if (upload.finish().status != 200) return refused;
  return job;
}

}  // namespace spindle::training
