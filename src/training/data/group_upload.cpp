#include "training/data/group_upload.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <variant>

#include "http/router/error_body.h"
#include "json/document.h"
#include "json/escape.h"
#include "json/writer.h"

namespace spindle::training {
namespace {

constexpr std::string_view kGroups = "trajectory_groups";
/// Limit for everything except the groups, which is small.
constexpr std::size_t kLargestSkeleton = 16UL * 1024 * 1024;
constexpr std::size_t kMostViolations = 200;

/// Returns the Content-Length of a request; 0 if it is absent.
std::uint64_t declaredSize(const http::Request& request) {
  const std::string_view length = request.headers.get("Content-Length");
  std::uint64_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  return bytes;
}

Error tooLarge() { return {ErrorCode::kTooLarge, "The request body is too large."}; }

}  // namespace

GroupUpload::GroupUpload(std::unique_ptr<TrainingFileWriter> intake,
                         const Options& options,
                         OnWhole on_whole)
    : intake_(std::move(intake)),
      options_(options),
      on_whole_(std::move(on_whole)),
      decoder_(options.coding == http::Coding::kIdentity ? nullptr
                                                         : http::Decoder::make(options.coding)),
      codec_(groupCodec()),
      splitter_(kGroups, [this](std::string text, std::size_t position) {
        takeGroup(std::move(text), position);
      }) {}

std::optional<http::Response> GroupUpload::refuse(const Error& error) const {
  return http::errorResponse(error, options_.errors);
}

Error GroupUpload::notJson(std::size_t position, const std::string& message) const {
  Violation violation;
  violation.type = "json_invalid";
  violation.loc = {LocStep("body"), LocStep(static_cast<std::int64_t>(position))};
  violation.msg = "JSON decode error";
  violation.input = "{}";
  violation.ctx = "{\"error\":" + json::quoted(message) + "}";
  return Error::invalid({std::move(violation)});
}

std::optional<http::Response> GroupUpload::take(std::string_view piece) {
  std::string decoded;
  if (decoder_) {
    // Decode one byte more than the limit, so that the check below reports it.
    const Result<void> fed = decoder_->feed(piece, decoded, options_.largest - bytes_ + 1);
    if (!fed && fed.error().code() == ErrorCode::kTooLarge) return refuse(tooLarge());
    if (!fed)
      return refuse(Error::invalidArgument("The body does not match its Content-Encoding."));
    piece = decoded;
  }
  bytes_ += piece.size();
  if (bytes_ > options_.largest) return refuse(tooLarge());
  splitter_.feed(piece);
  if (splitter_.skeleton().size() > kLargestSkeleton) return refuse(tooLarge());
  if (failure_) return refuse(*failure_);
  return std::nullopt;
}

void GroupUpload::takeGroup(std::string text, std::size_t position) {
  const std::int64_t index = groups_++;
  if (failure_ || violations_.size() >= kMostViolations) return;
  std::variant<json::Document, json::SyntaxError> parsed =
      json::Document::parse(std::move(text), options_.json_depth);
  if (const auto* broken = std::get_if<json::SyntaxError>(&parsed)) {
    failure_ = notJson(position + broken->position, broken->message);
    return;
  }
  const json::Node root = std::get<json::Document>(parsed).root();
  const schema::Path body("body");
  const schema::Path list(kGroups, &body);
  const schema::Path item(index, &list);
  schema::Report report;
  GroupBody group;
  if (!codec_.read(root, item, group, report)) {
    for (Violation& violation : report.take()) violations_.push_back(std::move(violation));
    return;
  }
  summary_.add(groupStatsOf(group));
  if (!violations_.empty()) return;
  const Result<void> added = intake_->add(json::compact(root.raw()) + "\n");
  if (!added) failure_ = added.error();
}

http::Response GroupUpload::finish() {
  if (decoder_) {
    if (const Result<void> whole = decoder_->finish(); !whole) {
      return *refuse(Error::invalidArgument("The body does not match its Content-Encoding."));
    }
  }
  if (failure_) return *refuse(*failure_);
  if (!splitter_.finish()) {
    const BodySplitter::Broken& broken = *splitter_.broken();
    return *refuse(notJson(broken.position, broken.message));
  }
  return on_whole_({splitter_.skeleton(), std::move(violations_), std::move(summary_), *intake_});
}

Result<http::Response> groupUpload(const http::Request& request,
                                   TrainingFileStore& files,
                                   GroupUpload::Options options,
                                   GroupUpload::OnWhole on_whole) {
  const std::optional<http::Coding> coding =
      http::codingOf(request.headers.get("Content-Encoding"));
  if (!coding) {
    return Error(ErrorCode::kUnsupportedMediaType, "This content coding is not supported");
  }
  options.coding = *coding;
  if (declaredSize(request) > options.largest) return tooLarge();
  std::unique_ptr<TrainingFileWriter> intake = TRY(files.receive());
  http::Response response;
  response.stream = std::make_shared<GroupUpload>(std::move(intake), options, std::move(on_whole));
  return response;
}

}  // namespace spindle::training
