#include <algorithm>
#include <memory>

#include "http/router/route_group.h"
#include "json/writer.h"
#include "objects/api/array_stream.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
#include "objects/store/caller_projects.h"
#include "objects/store/ref_reader.h"
#include "objects/values/object.h"
#include "objects/values/ref.h"
#include "schema/described.h"
#include "schema/scalar.h"

namespace spindle::objects {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::list, schema::string;

constexpr std::size_t kMaxRefs = 1000;
constexpr std::size_t kRefsAtOnce = 32;

/// Parses a ref that can be read. @return kInvalidArgument, or kNotFound for a project that the
/// caller cannot read.
Result<Ref> readableRef(const std::string& text, CallerProjects& projects) {
  Ref ref = TRY(parseRef(text));
  if (ref.scheme == wire::RefScheme::kPrivate || !ref.isObjectOrOp()) {
    return Error::invalidArgument("Only object and op refs can be read: " + text);
  }
  if (ref.version == kLatest || versionNumber(ref.version)) {
    return Error::invalidArgument("A ref is read by its digest, not by '" + ref.version +
                                  "': " + text);
  }
  if (ref.scheme == wire::RefScheme::kInternal) {
    const std::optional<std::string> known = TRY(projects.externalOf(ref.project));
    if (!known.has_value()) return Error::notFound("Project not found");
    return ref;
  }
  std::optional<std::string> id = TRY(projects.internalOf(ref.project));
  if (!id.has_value()) return Error::notFound("Project not found");
  ref.scheme = wire::RefScheme::kInternal;
  ref.project = *std::move(id);
  return ref;
}

Error missingObjects(const std::vector<std::string>& digests) {
  return Error::notFound("Missing objects: " + std::to_string(digests.size()))
      .with("missing_object_digests", list(string()).toJson(digests));
}

/// Streams the values of a response to the client in batches.
class ValueList {
 public:
  ValueList(RefReader& reader,
            CallerProjects projects,
            std::vector<Ref> refs,
            wire::Spelling spelling)
      : reader_(reader),
        projects_(std::move(projects)),
        refs_(std::move(refs)),
        spelling_(spelling) {}

  Result<bool> next(json::Writer& items) {
    if (read_ == refs_.size()) return false;
    const std::size_t end = std::min(refs_.size(), read_ + kRefsAtOnce);
    const std::vector<Ref> some(refs_.begin() + static_cast<std::ptrdiff_t>(read_),
                                refs_.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<RefValue> values = TRY(reader_.read(some));
    for (RefValue& value : values) {
      TRY(externalizeRefs(value.value, projects_, spelling_));
      items.raw(value.value);
    }
    read_ = end;
    return true;
  }

 private:
  RefReader& reader_;
  CallerProjects projects_;
  std::vector<Ref> refs_;
  wire::Spelling spelling_;
  std::size_t read_ = 0;
};

Result<Reply<Nothing>> readRefs(const ObjectServices& services,
                                const Context& context,
                                const Only<std::vector<std::string>>& body) {
  if (body.value.size() > kMaxRefs) return Error::invalidArgument("Too many refs");
  CallerProjects projects(services.access, services.projects, context.caller().user_id);
  std::vector<Ref> refs;
  for (const std::string& text : body.value) {
    Ref ref = TRY(readableRef(text, projects));
    refs.push_back(std::move(ref));
  }
  const std::vector<std::string> missing = TRY(services.refs.missing(refs));
  if (!missing.empty()) return missingObjects(missing);
  auto values = std::make_shared<ValueList>(services.refs, std::move(projects), std::move(refs),
                                            context.spelling());
  return arrayReply("vals", [values](json::Writer& items) { return values->next(items); });
}

}  // namespace

void addRefRoutes(ObjectRoutes routes) {
  replyWithArray(
      routes.post(
          "/refs/read_batch",
          {"readRefs", "Read the values of refs",
           "Object and op refs with digests, at most 1000. Deleted values, and "
           "paths that do not exist, are null."},
          {.body =
               only("RefsReadRequest", "refs",
                    schema::describedAs(
                        list(string()),
                        list(string({.pattern = "^svc:///[^/]+/[^/]+/(object|op)/[^/:]+:[^/:]+"}),
                             {.max_items = kMaxRefs})))},
          readRefs),
      only("RefsReadReply", "vals", list(schema::anyJson()), "In request order.").type());
}

}  // namespace spindle::objects
