#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "http/message/body_stream.h"
#include "http/message/multipart.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "objects/api/caller_project.h"
#include "objects/api/log.h"
#include "objects/api/name_codecs.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
#include "objects/store/file_repository.h"
#include "objects/values/digest.h"
#include "schema/scalar.h"

namespace spindle::objects {
namespace {

using http::BodyStream, http::Context, http::FormPart, http::Nothing, http::Reply;
using schema::string;

constexpr std::size_t kFilePieceBytes = 256UL * 1024;

struct FileStatsBody {
  std::string project_id;
};

/// Fields of an upload form. Views of the request body.
struct FileForm {
  std::optional<std::string_view> project_id;
  std::optional<std::string_view> file;
  std::string filename;
  std::optional<std::string> expected_digest;
};

Violation missingField(std::string_view name) {
  Violation violation;
  violation.type = "missing";
  violation.loc = {LocStep("body"), LocStep(std::string(name))};
  violation.msg = "Field required";
  return violation;
}

/// Parses the form. @return kInvalidSchema when a field is missing, kInvalidArgument when the form
/// is invalid.
Result<FileForm> readForm(const http::Request& request) {
  const Result<std::vector<FormPart>> parts =
      http::parseMultipart(request.headers.get("Content-Type"), request.body);
  // A body of another media type is a form without fields.
  if (!parts && parts.error().code() != ErrorCode::kUnsupportedMediaType) return parts.error();
  FileForm form;
  for (const FormPart& part : parts ? *parts : std::vector<FormPart>()) {
    if (part.name == "project_id") form.project_id = part.data;
    if (part.name == "expected_digest") form.expected_digest = std::string(part.data);
    if (part.name != "file") continue;
    form.file = part.data;
    form.filename = part.filename;
  }
  std::vector<Violation> missing;
  if (!form.project_id) missing.push_back(missingField("project_id"));
  if (!form.file) missing.push_back(missingField("file"));
  if (!missing.empty()) return Error::invalid(std::move(missing));
  return form;
}

Result<Only<std::string>> createFile(const ObjectServices& services, const Context& context) {
  const FileForm form = TRY(readForm(context.request));
  const CallerProject project = TRY(writableProject(services, context, *form.project_id));
  std::string digest = contentDigest(*form.file);
  TRY(checkDigest(form.expected_digest, digest, "file '" + form.filename + "'"));
  TRY(services.files.put(project.id, digest, *form.file));
  return Only<std::string>{std::move(digest)};
}

void describeUpload(json::Writer& out, schema::Components& components) {
  out.key("type").string("object").key("properties").beginObject();
  out.key("project_id").beginObject();
  identity::projectIdCodec().type()->describe(out, components);
  out.key("description").string("`entity/project`.").endObject();
  out.key("file").raw(R"({"type":"string","contentMediaType":"application/octet-stream"})");
  out.key("expected_digest")
      .raw(R"({"type":"string","description":"Store only if the content has this digest."})");
  out.endObject().key("required").raw(R"(["project_id","file"])");
}

/// Streams the content from disk while the client reads it.
std::shared_ptr<BodyStream> contentStream(FileReader reader) {
  auto shared = std::make_shared<FileReader>(std::move(reader));
  return std::make_shared<http::PulledBody>([shared](std::string& piece) {
    Result<std::string> read = shared->next(kFilePieceBytes);
    if (!read) {
      kLog.error("answer_cut", {{"reason", read.error().message()}});
      return BodyStream::State::kBroken;
    }
    piece = *std::move(read);
    return piece.empty() ? BodyStream::State::kEnd : BodyStream::State::kChunk;
  });
}

Result<Reply<Nothing>> fileContent(const ObjectServices& services,
                                   const Context& context,
                                   const DigestBody& body) {
  const CallerProject project = TRY(readableProject(services, context, body.project_id));
  FileReader file = TRY(services.files.open(project.id, body.digest));
  Reply reply(Nothing{});
  reply.with("Content-Type", "application/octet-stream");
  reply.stream = contentStream(std::move(file));
  return reply;
}

Result<Only<std::int64_t>> fileStats(const ObjectServices& services,
                                     const Context& context,
                                     const FileStatsBody& body) {
  const CallerProject project = TRY(readableProject(services, context, body.project_id));
  const std::int64_t bytes = TRY(services.files.storageSize(project.id));
  return Only<std::int64_t>{bytes};
}

schema::Codec<FileStatsBody> fileStatsCodec() {
  return projectRecord<FileStatsBody>("FileStatsRequest").codec();
}

}  // namespace

void addFileRoutes(ObjectRoutes routes) {
  routes.setTag("files");
  // Two SDKs use different paths for each route.
  for (const auto& [path, id] :
       {std::pair("/file/create", "createFile"), std::pair("/files/create", "createFileToo")}) {
    http::Route& route = routes.post(
        path, {id, "Store a file", "Storing the same content again has no effect."},
        {.reply = only("FileCreateReply", "digest", string(), "Digest of the content.")},
        createFile);
    route.body_type = "multipart/form-data";
    route.describe_body = describeUpload;
    route.describe_parameters = nullptr;
  }
  for (const auto& [path, id] :
       {std::pair("/file/content", "readFile"), std::pair("/files/content", "readFileToo")}) {
    http::Route& route = routes.post(
        path, {id, "Read a file"},
        {.body = digestBodyCodec("FileContentRequest", "Digest of the content.")}, fileContent);
    route.reply_type = "application/octet-stream";
    route.describe_reply = [](json::Writer& out, schema::Components& /*components*/) {
      out.key("contentMediaType").string("application/octet-stream");
    };
  }
  for (const auto& [path, id] :
       {std::pair("/files/query_stats", "fileStats"), std::pair("/files/stats", "fileStatsToo")}) {
    routes.post(path, {id, "Get the total size of the files of a project"},
                {.body = fileStatsCodec(),
                 .reply = only("FileStatsReply", "total_size_bytes", schema::integer())},
                fileStats);
  }
}

}  // namespace spindle::objects
