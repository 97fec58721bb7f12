#include "training/trainers/trainer_service.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/crypto/id.h"
#include "identity/access/access.h"
#include "jobs/job_queue.h"
#include "storage/blobs/blob_name.h"
#include "training/data/training_file_store.h"
#include "training/jobs/checkpoints.h"
#include "training/jobs/forks.h"
#include "training/jobs/job_config_json.h"
#include "training/jobs/run_log.h"

namespace spindle::training {
namespace {

/// Number of earlier steps in the reward history of a lease.
constexpr std::int64_t kHistory = 1'000;

bool has(const std::vector<UploadedFile>& files, std::string_view name) {
  return std::any_of(files.begin(), files.end(),
                     [name](const UploadedFile& file) { return file.name == name; });
}

Error missingFiles() {
  return Error::conflict("Upload adapter_config.json and adapter_model.safetensors first.")
      .because("missing_files");
}

std::string lostTrainers(JobKind kind) {
  const std::string less = kind == JobKind::kRl
                               ? "shorter trajectories, or a smaller packed_sequence_length"
                               : "shorter examples, or a smaller batch_size";
  return "Trainers were lost " + std::to_string(TrainerService::kMostTries) +
         " times at this job without progress. It may need more memory than they have: try " +
         less + ".";
}

/// Returns true if the error is permanent for the job, not temporary.
bool isFinal(const Error& error) {
  return error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kNotFound ||
         error.code() == ErrorCode::kPermissionDenied;
}

}  // namespace

void TrainerService::recordContact() {
  const MutexLock lock(mutex_);
  last_seen_ = std::chrono::steady_clock::now();
}

std::optional<std::chrono::steady_clock::duration> TrainerService::timeSinceContact() const {
  const MutexLock lock(mutex_);
  if (!last_seen_) return std::nullopt;
  return std::chrono::steady_clock::now() - *last_seen_;
}

void TrainerService::greet(const std::string& worker, const std::optional<std::string>& device) {
  contacts_.record({worker, device, parts_.clock.now()});
}

Result<void> TrainerService::releaseLeasesOf(const std::string& worker) {
  recordContact();
  TRY(parts_.queue.releaseWorker(kQueueKind, worker));
  return {};
}

jobs::JobQueue::Accepts TrainerService::acceptedBy(const TrainerCapabilities& capabilities) {
  return [this, &capabilities](const jobs::Job& job) {
    return accepts(capabilities, demandOf(job.payload), parts_.base_models, families_);
  };
}

Result<bool> TrainerService::hasJobFor(const TrainerCapabilities& capabilities) {
  return parts_.queue.hasReady(kQueueKind, acceptedBy(capabilities));
}

Result<std::optional<Offer>> TrainerService::lease(const TrainerRequest& trainer) {
  recordContact();
  while (true) {
    const std::optional<jobs::LeasedJob> leased = TRY(
        parts_.queue.lease(kQueueKind, trainer.worker, kLease, acceptedBy(trainer.capabilities)));
    if (!leased) return std::optional<Offer>();
    const std::string& id = leased->job.id;
    const std::string& token = leased->token;
    const Result<Job> job = parts_.jobs.countTry(id);
    if (!job && job.error().code() == ErrorCode::kNotFound) {
      // The project was deleted.
      TRY(parts_.queue.endCancelled(id, token));
      continue;
    }
    if (!job) return job.error();
    Result<std::optional<Offer>> offer = offerOrEnd(*job, token, trainer.capabilities);
    if (!offer || *offer) return offer;
  }
}

Result<std::optional<Offer>> TrainerService::offerOrEnd(const Job& job,
                                                        const std::string& token,
                                                        const TrainerCapabilities& capabilities) {
  const JobLease lease{job.id, token};
  Result<Offer> offer = job.tries > kMostTries
                            ? Result<Offer>(Error::invalidArgument(lostTrainers(job.kind)))
                            : offerOf(job, token, capabilities);
  if (offer) {
    parts_.run_log.begin(job);
    return std::optional(*std::move(offer));
  }
  const bool final = isFinal(offer.error());
  TRY(final ? fail(lease, offer.error().message()) : release(lease));
  if (!final) return std::move(offer).error();
  return std::optional<Offer>();
}

Result<void> TrainerService::requireAccess(const Job& job) {
  TRY(parts_.access.requireForJob(job.creator.user_id, job.place.project_id,
                                  job.place.entity + "/" + job.place.project,
                                  identity::Action::kWriteProject));
  return {};
}

Result<bool> TrainerService::failWithoutAccess(const Job& job, const JobLease& lease) {
  const Result<void> allowed = requireAccess(job);
  if (allowed) return false;
  if (allowed.error().code() != ErrorCode::kPermissionDenied) return allowed.error();
  TRY(fail(lease, allowed.error().message()));
  return true;
}

/// Adds the forms of the base model that the trainer reads.
Result<void> TrainerService::addBase(const BaseModel& base,
                                     const TrainerCapabilities& capabilities,
                                     Offer& offer) {
  offer.base = {base};
  if (!base.folder.empty() && capabilities.reads(BaseFormat::kHuggingFace)) {
    FolderListing listing = TRY(listBaseFolder(base.folder));
    offer.base.listing = std::move(listing);
  }
  if (!base.blob.empty()) {
    const std::optional<Sha256> digest = storage::parseBlobName(base.blob);
    offer.base.size = base.blob_bytes;
    if (digest) std::memcpy(&offer.base.revision, digest->data(), sizeof offer.base.revision);
    return {};
  }
  if (base.file.empty()) return {};
  std::error_code failed;
  offer.base.size = static_cast<std::int64_t>(std::filesystem::file_size(base.file, failed));
  if (!failed) {
    const auto changed = std::filesystem::last_write_time(base.file, failed);
    offer.base.revision = static_cast<std::int64_t>(changed.time_since_epoch().count());
  }
  if (!failed) return {};
  return Error::invalidArgument("The file of the base model " + base.name + " cannot be read.");
}

Result<Offer> TrainerService::offerOf(const Job& job,
                                      std::string token,
                                      const TrainerCapabilities& capabilities) {
  TRY(requireAccess(job));
  const Model known = TRY(parts_.models.find(job.model_id));
  const Model model = TRY(parts_.forks.adopt(known));
  const BaseModel base = TRY(baseOf(job));
  Offer offer;
  offer.job = job;
  offer.token = std::move(token);
  offer.step = model.step + 1;
  TRY(addBase(base, capabilities, offer));
  std::optional<OfferedAdapter> adapter = TRY(adapterOf(job, std::nullopt));
  // Step 0 of a model without a GGUF file has no files.
  if (adapter && !adapter->files.empty()) offer.adapter = std::move(adapter);
  std::optional<OfferedAdapter> reference = TRY(referenceOf(job));
  offer.reference = std::move(reference);
  std::vector<RewardSpread> history = TRY(rewardHistoryOf(job));
  offer.reward_history = std::move(history);
  return offer;
}

Result<std::vector<RewardSpread>> TrainerService::rewardHistoryOf(const Job& job) {
  std::vector<RewardSpread> history;
  if (job.kind != JobKind::kRl) return history;
  const ListPart<Checkpoint> newest =
      TRY(parts_.models.checkpoints(job.model_id, {.limit = kHistory, .descending = true}));
  for (const Checkpoint& checkpoint : newest.items) {
    for (const auto& [name, value] : metricsOf(checkpoint.metrics)) {
      if (name == "reward_std_dev") history.push_back({checkpoint.step, value});
    }
  }
  std::reverse(history.begin(), history.end());
  return history;
}

Result<BaseModel> TrainerService::baseOf(const Job& job) {
  std::optional<BaseModel> base = parts_.base_models(job.place.team_id, job.base_model);
  if (!base || !base->isTrainable()) {
    return Error::invalidArgument("The base model " + job.base_model +
                                  " no longer exists. Add it again, then create the job again.");
  }
  return *std::move(base);
}

Result<std::string> TrainerService::baseFolderFile(const Job& job, std::string_view name) {
  const BaseModel base = TRY(baseOf(job));
  if (base.folder.empty() || !isBaseFolderFile(name)) {
    return Error::notFound("The base model has no such file.");
  }
  return base.folder + "/" + std::string(name);
}

Result<std::optional<OfferedAdapter>> TrainerService::adapterOf(const Job& job,
                                                                std::optional<std::int64_t> step) {
  const std::optional<Checkpoint> checkpoint = TRY(parts_.models.checkpoint(job.model_id, step));
  if (!checkpoint) return std::optional<OfferedAdapter>();
  OfferedAdapter adapter;
  adapter.step = checkpoint->step;
  adapter.version_id = checkpoint->version_id;
  adapter.place = job.place;
  std::vector<ArtifactFile> files = TRY(parts_.checkpoints.files(job.place, adapter.version_id));
  adapter.files = std::move(files);
  return std::optional(std::move(adapter));
}

Result<std::optional<OfferedAdapter>> TrainerService::referenceOf(const Job& job) {
  if (job.kind != JobKind::kRl) return std::optional<OfferedAdapter>();
  const KlReference wanted = klReferenceOf(job.config);
  if (wanted.version) {
    OfferedAdapter adapter;
    adapter.version_id = *wanted.version;
    adapter.place.team_id = wanted.team_id;
    std::vector<ArtifactFile> files =
        TRY(parts_.checkpoints.files(adapter.place, adapter.version_id));
    if (files.empty()) {
      return Error::invalidArgument("The adapter that kl_ref_adapter_path names was deleted.");
    }
    adapter.files = std::move(files);
    return std::optional(std::move(adapter));
  }
  if (!wanted.step && !wanted.lag) return std::optional<OfferedAdapter>();
  const Model model = TRY(parts_.models.find(job.model_id));
  const std::int64_t step =
      wanted.step ? *wanted.step : std::max<std::int64_t>(model.step - *wanted.lag, 0);
  Result<std::optional<OfferedAdapter>> adapter = adapterOf(job, step);
  if (adapter && !*adapter) {
    return Error::invalidArgument("The checkpoint of step " + std::to_string(step) +
                                  ", the KL reference, was deleted.");
  }
  return adapter;
}

Result<bool> TrainerService::heartBeat(const JobLease& lease, std::optional<double> seconds_left) {
  recordContact();
  const Result<Job> job = parts_.jobs.estimate(lease, seconds_left);
  if (!job && job.error().reason() == "job_cancelled") return true;
  if (!job) return job.error();
  if (TRY(failWithoutAccess(*job, lease))) return true;
  TRY(parts_.queue.heartBeat(lease.id, lease.token, kLease));
  parts_.run_log.beat(*job);
  return false;
}

Result<std::int64_t> TrainerService::appendReportedEvents(
    const JobLease& lease, std::int64_t first, const std::vector<ReportedEvent>& reported) {
  recordContact();
  const Job job = TRY(parts_.jobs.appendEvents(lease, first, reported));
  parts_.run_log.follow(job);
  return job.last_sequence;
}

Result<void> TrainerService::saveState(const JobLease& lease, const SavedState& state) {
  return parts_.jobs.saveState(lease, state);
}

Result<void> TrainerService::saveFile(const JobLease& lease, const UploadedFile& file) {
  return parts_.jobs.saveFile(lease, file);
}

Result<Job> TrainerService::require(const JobLease& lease) {
  return parts_.jobs.estimate(lease, std::nullopt);
}

Result<std::vector<ArtifactFile>> TrainerService::previousFiles(const Job& job) {
  std::optional<OfferedAdapter> before = TRY(adapterOf(job, std::nullopt));
  if (!before) return missingFiles();
  return std::move(before->files);
}

Result<std::vector<ArtifactFile>> TrainerService::uploadedFiles(
    const std::vector<UploadedFile>& uploaded) {
  for (const std::string_view name : kAdapterFiles) {
    if (!has(uploaded, name)) return missingFiles();
  }
  std::vector<ArtifactFile> files;
  files.reserve(uploaded.size());
  for (const UploadedFile& file : uploaded) {
    files.push_back({file.name, file.md5, file.size,
                     [this, blob = file.blob](const ByteSink& sink) -> Result<void> {
                       registry::BlobContent content = TRY(parts_.files.open(blob));
                       return copyTo(content, sink);
                     }});
  }
  return files;
}

Result<Published> TrainerService::published(const Job& job) {
  const Model model = TRY(parts_.models.find(job.model_id));
  const std::optional<Checkpoint> checkpoint =
      TRY(parts_.models.checkpoint(job.model_id, job.step));
  if (!checkpoint) return Error::notFound("The checkpoint of the job was deleted.");
  const registry::Version version = TRY(parts_.checkpoints.version(model, checkpoint->version_id));
  return Published{checkpoint->step, "v" + std::to_string(version.index.value_or(0))};
}

Result<Published> TrainerService::complete(const JobLease& lease, const TrainingResult& result) {
  const Job known = TRY(parts_.jobs.find(lease.id));
  if (known.status == JobStatus::kCompleted && known.step) {
    // The response was lost, or the server stopped before it had finished the run.
    parts_.run_log.repeatEnd(known);
    return published(known);
  }
  const std::vector<UploadedFile> uploaded = TRY(parts_.jobs.files(lease));
  if (TRY(failWithoutAccess(known, lease))) {
    return Error::conflict("The job has failed: its user may no longer change the project.")
        .because("job_cancelled");
  }
  const Model model = TRY(parts_.models.find(known.model_id));
  const std::int64_t step = model.step + 1;
  std::vector<ArtifactFile> files =
      TRY(result.unchanged ? previousFiles(known) : uploadedFiles(uploaded));
  const registry::Version version =
      TRY(parts_.checkpoints.publish(model, step, known.id, std::move(files)));
  Metrics metrics;
  const Result<std::vector<JobEvent>> last =
      parts_.jobs.stepsAfter(known.id, known.last_sequence - 1, 1);
  if (last && !last->empty()) metrics = metricsOf(last->front().data);
  Checkpoint checkpoint;
  checkpoint.id = newUuid(parts_.clock.now());
  checkpoint.step = step;
  checkpoint.version_id = version.id;
  checkpoint.metrics = metricsJson(mergedMetrics(std::move(metrics), result.metrics));
  const Job completed = TRY(parts_.jobs.complete(lease, checkpoint, version.index.value_or(step)));
  parts_.run_log.end(completed);
  parts_.wake();
  return Published{step, "v" + std::to_string(version.index.value_or(0))};
}

Result<void> TrainerService::fail(const JobLease& lease, const std::string& message) {
  const Job failed = TRY(parts_.jobs.fail(lease, message));
  parts_.run_log.end(failed);
  parts_.wake();
  return {};
}

Result<void> TrainerService::release(const JobLease& lease) {
  Result<void> released = parts_.jobs.uncountTry(lease);
  if (released) released = parts_.queue.release(lease.id, lease.token);
  if (released) parts_.wake();
  return released;
}

Result<registry::BlobContent> TrainerService::openData(const Job& job) {
  if (job.data.blob) return parts_.files.open(*job.data.blob);
  return parts_.blobs.open(job.data.team_id, {job.data.digest, job.data.size});
}

Result<registry::BlobContent> TrainerService::openState(const Job& job) {
  if (!job.state) return Error::notFound("The job has no saved state.");
  return parts_.files.open(job.state->blob);
}

Result<registry::BlobContent> TrainerService::openAdapter(const Job& job, std::string_view name) {
  const std::optional<OfferedAdapter> adapter = TRY(adapterOf(job, std::nullopt));
  if (!adapter) return Error::notFound("The model has no checkpoint.");
  return parts_.checkpoints.open(adapter->place, adapter->version_id, name);
}

Result<registry::BlobContent> TrainerService::openReference(const Job& job, std::string_view name) {
  const std::optional<OfferedAdapter> adapter = TRY(referenceOf(job));
  if (!adapter) return Error::notFound("The job has no reference adapter.");
  return parts_.checkpoints.open(adapter->place, adapter->version_id, name);
}

}  // namespace spindle::training
