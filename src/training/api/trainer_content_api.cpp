#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "http/message/upload.h"
#include "http/router/content.h"
#include "http/router/route_group.h"
#include "training/api/trainer_access.h"
#include "training/api/training_views.h"
#include "training/data/training_file_store.h"
#include "training/trainers/trainer_service.h"
#include "weights/formats/mapped_file.h"

namespace spindle::training {
namespace {

using http::Context, http::Method, http::Nothing, http::Reply, http::Response, http::Route;
using schema::string;

struct NamedPath : LeasePath {
  std::string name;
};
struct StatePath : LeasePath {
  std::int64_t sequence = 0;
};

void describeBytes(json::Writer& out, schema::Components& /*components*/) {
  out.key("contentMediaType").string("application/octet-stream");
}

/// Receives a file of a trainer.
class FileUpload final : public http::Upload {
 public:
  using OnWhole = std::function<Result<void>(const StoredFile& file)>;

  FileUpload(std::unique_ptr<TrainingFileWriter> intake,
             std::string name,
             http::ErrorShape errors,
             OnWhole on_whole)
      : intake_(std::move(intake)),
        name_(std::move(name)),
        errors_(errors),
        on_whole_(std::move(on_whole)) {}

  std::optional<Response> take(std::string_view piece) override {
    const Result<void> added = intake_->add(piece);
    if (added) return std::nullopt;
    return http::errorResponse(added.error(), errors_);
  }

  Response finish() override {
    const Result<StoredFile> file = intake_->finish();
    if (!file) return http::errorResponse(file.error(), errors_);
    const Result<void> noted = on_whole_(*file);
    if (!noted) return http::errorResponse(noted.error(), errors_);
    Response response;
    response.headers.set("Content-Type", "application/json");
    response.body = fileCodec("TrainerFile")
                        .toJson({.name = name_, .md5 = file->md5, .size = file->size, .read = {}});
    return response;
  }

 private:
  std::unique_ptr<TrainingFileWriter> intake_;
  std::string name_;
  http::ErrorShape errors_;
  OnWhole on_whole_;
};

Result<Job> leasedJob(const TrainingServices& services,
                      const Context& context,
                      const LeasePath& path) {
  TRY(requireTrainerOfJob(services, context));
  return services.trainers.require(path.lease());
}

Reply<Nothing> replyWith(Response response) {
  Reply reply(Nothing{});
  reply.status = response.status;
  reply.headers = std::move(response.headers);
  reply.stream = std::move(response.stream);
  return reply;
}

Result<Reply<Nothing>> send(const Context& context,
                            Result<registry::BlobContent> blob,
                            const std::string& etag) {
  if (!blob) return std::move(blob).error();
  if (context.request.headers.find("Range") != nullptr) {
    TRY(blob->check());
  }
  auto shared = std::make_shared<registry::BlobContent>(*std::move(blob));
  http::Content content;
  content.size = shared->size();
  content.etag = "\"" + etag + "\"";
  content.read = [shared](std::uint64_t offset, std::size_t most) {
    return shared->read(offset, most);
  };
  return replyWith(http::contentResponse(context.request, std::move(content)));
}

Result<Reply<Nothing>> sendBase(const Context& context, const std::string& path) {
  Result<weights::MappedFile> file = weights::MappedFile::open(path);
  if (!file) return Error::notFound("The file of the base model cannot be read.");
  std::error_code failed;
  const auto changed = std::filesystem::last_write_time(path, failed);
  auto shared = std::make_shared<weights::MappedFile>(*std::move(file));
  http::Content content;
  content.size = shared->bytes().size();
  content.etag = "\"" + std::to_string(content.size) + "-" +
                 std::to_string(changed.time_since_epoch().count()) + "\"";
  content.read = [shared](std::uint64_t offset, std::size_t most) -> Result<std::string> {
    const std::string_view bytes = shared->bytes();
    if (offset >= bytes.size()) return std::string();
    return std::string(bytes.substr(static_cast<std::size_t>(offset), most));
  };
  return replyWith(http::contentResponse(context.request, std::move(content)));
}

template <class P, class Send>
void addDownload(const TrainingRoutes& routes,
                 std::string_view path,
                 const http::OperationText& text,
                 const http::Parameters<P>& params,
                 Send send_file) {
  http::Route& route =
      routes.get(path, text, {.params = params, .facts = {.statuses = {409, 502}, .content = true}},
                 [send_file](const TrainingServices& services, const Context& context,
                             const P& lease) -> Result<Reply<Nothing>> {
                   const Job job = TRY(leasedJob(services, context, lease));
                   return send_file(services, context, job, lease);
                 });
  route.reply_type = "application/octet-stream";
  route.describe_reply = describeBytes;
}

/// Returns a route that receives a file for a job. Reports errors in the head of the request before
/// the body arrives.
template <class P>
Route uploadRoute(const TrainingServices& services,
                  const http::RoutePolicy& policy,
                  const http::ParameterSet& params,
                  std::function<Result<void>(const P& path, const StoredFile& file)> keep,
                  std::function<std::string(const P& path)> name_of) {
  Route route;
  route.method = Method::kPut;
  route.tag = kTrainerTag;
  route.policy = policy;
  route.policy.body_limit = http::kStreamedBody;
  route.body_type = "application/octet-stream";
  route.describe_body = describeBytes;
  route.describe_parameters = [params](json::Writer& out, schema::Components& components) {
    params.describe(out, components);
  };
  route.describe_reply = http::descriptionOf(fileCodec("TrainerFile").type());
  route.run = [services, params, keep = std::move(keep), name_of = std::move(name_of),
               errors = policy.errors](const Context& context) {
    std::vector<Violation> violations;
    P path;
    params.read({context.path_parameters, context.query_parameters, context.request.headers,
                 context.spelling()},
                &path, violations);
    if (!violations.empty()) {
      return http::errorResponse(Error::invalid(std::move(violations)), errors);
    }
    const Result<Job> job = leasedJob(services, context, path);
    if (!job) return http::errorResponse(job.error(), errors);
    Result<std::unique_ptr<TrainingFileWriter>> intake = services.files.receive();
    if (!intake) return http::errorResponse(intake.error(), errors);
    Response response;
    response.stream = std::make_shared<FileUpload>(
        *std::move(intake), name_of(path), errors,
        [keep, path](const StoredFile& file) { return keep(path, file); });
    return response;
  };
  return route;
}

http::Parameters<NamedPath> namedPath(std::string_view doc) {
  http::Parameters<NamedPath> params = leaseParameters<NamedPath>();
  params.path("name", &NamedPath::name,
              string({.min_length = 1, .max_length = 128, .pattern = R"(^[A-Za-z0-9_][\w.-]*$)"}),
              doc);
  return params;
}

void addUploads(const TrainingRoutes& routes) {
  http::Parameters<StatePath> state_path = leaseParameters<StatePath>();
  state_path.requiredQuery("sequence", &StatePath::sequence, schema::integer({.ge = 0}),
                           "The last event that the state includes.");
  Route state = uploadRoute<StatePath>(
      routes.services(), routes.policy(), state_path,
      [services = routes.services()](const StatePath& path, const StoredFile& file) {
        return services.trainers.saveState(path.lease(), {file.blob, path.sequence, file.size});
      },
      [](const StatePath&) { return std::string("state"); });
  state.path = "/api/v1/trainer/jobs/{id}/state";
  state.operation_id = "putTrainingJobState";
  state.summary = "Save the state of a job";
  routes.router().addRoute(std::move(state));

  Route file = uploadRoute<NamedPath>(
      routes.services(), routes.policy(), namedPath("File name in the artifact."),
      [services = routes.services()](const NamedPath& path, const StoredFile& kept) {
        return services.trainers.saveFile(path.lease(),
                                          {path.name, kept.blob, kept.md5, kept.size});
      },
      [](const NamedPath& path) { return path.name; });
  file.path = "/api/v1/trainer/jobs/{id}/files/{name}";
  file.operation_id = "putTrainingJobFile";
  file.summary = "Upload a file of the result";
  routes.router().addRoute(std::move(file));
}

}  // namespace

void addTrainerContentRoutes(TrainingRoutes routes) {
  routes.setTag(kTrainerTag);
  constexpr std::string_view kRange = "Supports `Range`.";
  const http::Parameters<LeasePath> lease = leaseParameters<LeasePath>();
  addDownload(
      routes, "/api/v1/trainer/jobs/{id}/data",
      {"getTrainingJobData", "Download the training data", kRange}, lease,
      [](const TrainingServices& with, const Context& context, const Job& job, const LeasePath&) {
        return send(context, with.trainers.openData(job), "data-" + job.id);
      });
  addDownload(
      routes, "/api/v1/trainer/jobs/{id}/state",
      {"getTrainingJobState", "Download the saved state of a job", kRange}, lease,
      [](const TrainingServices& with, const Context& context, const Job& job, const LeasePath&) {
        return send(context, with.trainers.openState(job), job.state ? job.state->blob : job.id);
      });
  addDownload(routes, "/api/v1/trainer/jobs/{id}/base",
              {"getTrainingJobBase", "Download the file of the base model", kRange}, lease,
              [](const TrainingServices& with, const Context& context, const Job& job,
                 const LeasePath&) -> Result<Reply<Nothing>> {
                const BaseModel base = TRY(with.trainers.baseOf(job));
                if (base.blob.empty()) return sendBase(context, base.file);
                return send(context, with.files.open(base.blob), base.blob);
              });
  const http::Parameters<NamedPath> named = namedPath("File name in the lease.");
  addDownload(routes, "/api/v1/trainer/jobs/{id}/base/{name}",
              {"getTrainingJobBaseFile", "Download a file of the base model's folder", kRange},
              named,
              [](const TrainingServices& with, const Context& context, const Job& job,
                 const NamedPath& path) -> Result<Reply<Nothing>> {
                const std::string file = TRY(with.trainers.baseFolderFile(job, path.name));
                return sendBase(context, file);
              });
  const auto add_adapter = [&](const std::string& which, const http::OperationText& text,
                               auto open) {
    addDownload(routes, "/api/v1/trainer/jobs/{id}/" + which + "/{name}", text, named,
                [which, open](const TrainingServices& with, const Context& context, const Job& job,
                              const NamedPath& path) {
                  return send(context, (with.trainers.*open)(job, path.name),
                              which + "-" + job.id + "-" + path.name);
                });
  };
  add_adapter("adapter",
              {"getTrainingJobAdapter", "Download a file of the adapter to continue from", kRange},
              &TrainerService::openAdapter);
  add_adapter("reference",
              {"getTrainingJobReference", "Download a file of the KL reference adapter", kRange},
              &TrainerService::openReference);
  addUploads(routes);
}

}  // namespace spindle::training
