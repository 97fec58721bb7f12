#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/metadata/retention_repository.h"
#include "tracing/routes/call_input_api.h"
#include "tracing/routes/tracing_api.h"
#include "tracing/store/call_deletion.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::nullable, schema::Record, schema::string;

struct ProjectPath {
  std::string entity;
  std::string project;

  std::string name() const { return entity + "/" + project; }
};

/// The ids of a started call. Not set in the response to an end in a batch.
struct StartedCall {
  std::optional<std::string> id;
  std::optional<std::string> trace_id;
};
struct BatchReply {
  std::vector<StartedCall> res;
};

struct Empty {};

/// The members of all bodies that change calls.
struct CallChangeBody {
  std::string project_id;
  std::optional<std::string> svc_user_id;  ///< ignored; the credential identifies the user
};
struct CallUpdateBody : CallChangeBody {
  std::string call_id;
  std::optional<std::string> display_name;
};
struct DeleteBody : CallChangeBody {
  std::vector<std::string> call_ids;
};
struct DeleteReply {
  std::int64_t num_deleted = 0;
};

schema::Codec<Empty> emptyCodec() { return Record<Empty>("Empty").codec(); }

schema::Codec<StartedCall> startedCodec() {
  const auto id = schema::ifPresent(string());
  return Record<StartedCall>("StartedCall")
      .required("id", &StartedCall::id, id)
      .required("trace_id", &StartedCall::trace_id, id)
      .codec();
}

schema::Codec<BatchReply> batchReplyCodec() {
  const auto id = schema::ifPresent(string());
  const schema::Codec<StartedCall> item =
      Record<StartedCall>("CallBatchItem")
          .optional("id", &StartedCall::id, id, "Only for a start.")
          .optional("trace_id", &StartedCall::trace_id, id, "Only for a start.")
          .codec();
  return Record<BatchReply>("CallBatch")
      .required("res", &BatchReply::res, schema::list(item), "In the order of the request.")
      .codec();
}

schema::Codec<CallUpdateBody> callUpdateCodec() {
  const auto codec = identity::projectRecord<CallUpdateBody>("CallUpdate")
                         .required("call_id", &CallUpdateBody::call_id, callIdCodec())
                         .optional("display_name", &CallUpdateBody::display_name,
                                   nullable(displayNameCodec()), "Empty: removes the name.")
                         .optional("svc_user_id", &CallUpdateBody::svc_user_id, nullable(string()),
                                   "Set by the server.")
                         .codec();
  // Only the name can change: updateCall() rejects a body without one with 400.
  return schema::described(
      codec, R"({"required":["display_name"],"properties":{"display_name":{"type":"string"}}})");
}

schema::Codec<DeleteBody> deleteCodec() {
  return identity::projectRecord<DeleteBody>("CallsDelete")
      .required("call_ids", &DeleteBody::call_ids, schema::list(string()), "At most 1000.")
      .optional("svc_user_id", &DeleteBody::svc_user_id, nullable(string()), "Set by the server.")
      .codec();
}

http::Parameters<ProjectPath> projectPath() {
  return http::Parameters<ProjectPath>()
      .path("entity", &ProjectPath::entity, identity::entityCodec(), "The team.")
      .path("project", &ProjectPath::project, identity::projectNameCodec(), "The project.");
}

/// Collects the parts of one request by project. Most requests concern one project.
class CallBatch {
 public:
  CallBatch(const TracingServices& services, const Context& context)
      : services_(services), context_(context), budget_(services.limits) {}

  /// Calls `take(intake)` and adds the part that it returns.
  /// @return also kTooLarge if the parts exceed the limits of a request.
  template <class Take>
  Result<void> add(const std::string& project, const Take& take) {
    Destination* destination = TRY(destinationFor(project));
    Destination& to = *destination;
    const PayloadPorts ports{*to.projects, *to.media};
    auto part = take(IngestContext{to.scope.name, context_.caller().user_id, to.retention_days,
                                   services_.clock.now(), ports});
    if (!part) return std::move(part).error();
    to.parts.emplace_back(*std::move(part));
    return budget_.add(storedBytes(to.parts.back()));
  }

  const CallPart& last(const std::string& project) const {
    return destinations_.at(project).parts.back();
  }

  /// Stores all parts.
  Result<void> store() {
    for (auto& [name, destination] : destinations_) {
      TRY(services_.calls.write(destination.scope.id, std::move(destination.parts)));
    }
    return {};
  }

 private:
  struct Destination {
    ProjectScope scope;
    std::optional<std::int64_t> retention_days;
    std::unique_ptr<objects::RefProjects> projects;
    std::unique_ptr<MediaStore> media;
    std::vector<CallPart> parts;
  };

  Result<Destination*> destinationFor(const std::string& project) {
    const auto known = destinations_.find(project);
    if (known != destinations_.end()) return &known->second;
    ProjectScope scope = TRY(writableProject(services_, context_, project));
    const std::optional<std::int64_t> days = TRY(services_.retention.days(scope.id));
    Destination made;
    made.scope = std::move(scope);
    made.retention_days = days;
    made.projects = services_.ref_projects(context_.caller().user_id);
    made.media = services_.media_store(context_.caller().user_id, made.scope, context_.spelling());
    return &destinations_.emplace(project, std::move(made)).first->second;
  }

  const TracingServices& services_;
  const Context& context_;
  IngestBudget budget_;
  std::map<std::string, Destination> destinations_;
};

StartedCall startedIdsOf(const CallPart& part) {
  const auto& start = std::get<CallStart>(part);
  return {start.id, start.trace_id};
}

Result<StartedCall> startCall(const TracingServices& services,
                              const Context& context,
                              const std::string& project,
                              StartInput input) {
  CallBatch batch(services, context);
  TRY(batch.add(
      project, [&](const IngestContext& intake) { return toCallStart(std::move(input), intake); }));
  StartedCall ids = startedIdsOf(batch.last(project));
  TRY(batch.store());
  return ids;
}

Result<Empty> endCall(const TracingServices& services,
                      const Context& context,
                      const std::string& project,
                      EndInput input,
                      bool start_required) {
  const std::string id = input.id;
  CallBatch batch(services, context);
  TRY(batch.add(project, [&](const IngestContext& intake) {
    Result<CallEnd> end = toCallEnd(std::move(input), intake);
    if (end) end->start_required = start_required;
    return end;
  }));
  Result<void> stored = batch.store();
  if (!stored && stored.error().code() == ErrorCode::kNotFound)
    return Error::notFound("Cannot end call " + id + ": no start found in project " + project);
  if (!stored) return std::move(stored).error();
  return Empty{};
}

Result<BatchReply> upsertBatch(const TracingServices& services,
                               const Context& context,
                               UpsertBatchBody body) {
  CallBatch batch(services, context);
  BatchReply reply;
  for (auto& item : body.batch) {
    StartedCall ids;
    Result<void> taken;
    if (auto* start = std::get_if<BatchStart>(&item)) {
      if (start->mode != "start") return Error::invalidArgument("Invalid mode");
      const std::string project = start->req.start.project_id;
      taken = batch.add(project, [&](const IngestContext& intake) {
        return toCallStart(std::move(start->req.start), intake);
      });
      if (taken) ids = startedIdsOf(batch.last(project));
    } else {
      auto& end = std::get<BatchEnd>(item);
      if (end.mode != "end") return Error::invalidArgument("Invalid mode");
      const std::string project = end.req.end.project_id;
      taken = batch.add(project, [&](const IngestContext& intake) {
        return toCallEnd(std::move(end.req.end), intake);
      });
    }
    if (!taken) return std::move(taken).error();
    reply.res.push_back(std::move(ids));
  }
  TRY(batch.store());
  return reply;
}

Result<Empty> completeCalls(const TracingServices& services,
                            const Context& context,
                            const ProjectPath& path,
                            CompleteBatchBody body) {
  TRY(writableProject(services, context, path.name()));
  CallBatch batch(services, context);
  for (CompleteInput& input : body.batch) {
    const std::string project = input.project_id;
    TRY(batch.add(project, [&](const IngestContext& intake) {
      return toCallComplete(std::move(input), intake);
    }));
  }
  TRY(batch.store());
  return Empty{};
}

Result<Empty> updateCall(const TracingServices& services,
                         const Context& context,
                         CallUpdateBody body) {
  ProjectScope scope = TRY(writableProject(services, context, body.project_id));
  if (!body.display_name)
    return Error::invalidArgument("One of [display_name] is required for call update");
  TRY(checkCallId(body.call_id));
  TRY(checkDisplayName(*body.display_name));
  std::vector<CallPart> parts;
  parts.emplace_back(CallRename{std::move(body.call_id), *std::move(body.display_name)});
  TRY(services.calls.write(scope.id, std::move(parts)));
  return Empty{};
}

Result<DeleteReply> deleteCalls(const TracingServices& services,
                                const Context& context,
                                const DeleteBody& body) {
  ProjectScope scope = TRY(writableProject(services, context, body.project_id));
  const std::int64_t deleted =
      TRY(deleteWithDescendants(services.calls, services.audit, scope, body.call_ids));
  return DeleteReply{deleted};
}

}  // namespace

void addCallWriteRoutes(const TracingRoutes& routes) {
  http::RoutePolicy deep = routes.policy();
  deep.json_depth = kMaxBodyDepth;  // the depth of payloads is checked separately
  const TracingRoutes deep_routes = routes.with(deep);
  deep_routes.post("/call/start", {"startCall", "Record the start of a call."},
                   {.body = startBodyCodec(), .reply = startedCodec()},
                   [](const TracingServices& services, const Context& context, StartBody body) {
                     const std::string project = body.start.project_id;
                     return startCall(services, context, project, std::move(body.start));
                   });
  deep_routes.post("/call/end",
                   {"endCall", "Record the end of a call.",
                    "The end may arrive before the start. The call is visible as soon as its "
                    "start is stored."},
                   {.body = endBodyCodec(), .reply = emptyCodec()},
                   [](const TracingServices& services, const Context& context, EndBody body) {
                     const std::string project = body.end.project_id;
                     return endCall(services, context, project, std::move(body.end), false);
                   });
  deep_routes.post("/call/upsert_batch",
                   {"upsertCallBatch", "Record the starts and ends of several calls."},
                   {.body = upsertBatchCodec(), .reply = batchReplyCodec()}, upsertBatch);
  deep_routes.post("/v2/{entity}/{project}/calls/complete",
                   {"completeCalls", "Record several completed calls."},
                   {.params = projectPath(), .body = completeBatchCodec(), .reply = emptyCodec()},
                   completeCalls);
  deep_routes.post("/v2/{entity}/{project}/call/start",
                   {"startCallV2", "Record the start of a long-running call."},
                   {.params = projectPath(), .body = startBodyCodec(), .reply = startedCodec()},
                   [](const TracingServices& services, const Context& context,
                      const ProjectPath& path, StartBody body) {
                     return startCall(services, context, path.name(), std::move(body.start));
                   });
  deep_routes.post("/v2/{entity}/{project}/call/end",
                   {"endCallV2", "Record the end of a long-running call."},
                   {.params = projectPath(), .body = endBodyCodec(), .reply = emptyCodec()},
                   [](const TracingServices& services, const Context& context,
                      const ProjectPath& path, EndBody body) {
                     return endCall(services, context, path.name(), std::move(body.end), true);
                   });
  routes.post("/call/update", {"updateCall", "Change the display name of a call."},
              {.body = callUpdateCodec(), .reply = emptyCodec()}, updateCall);
  routes.post("/calls/delete", {"deleteCalls", "Delete calls and all of their descendants."},
              {.body = deleteCodec(),
               .reply = Record<DeleteReply>("CallsDeleted")
                            .required("num_deleted", &DeleteReply::num_deleted, schema::integer())
                            .codec()},
              deleteCalls);
}

}  // namespace spindle::tracing
