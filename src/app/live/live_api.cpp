#include "app/live/live_api.h"

#include <string>
#include <utility>

#include "app/live/live_streams.h"
#include "http/router/route_group.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::string;

constexpr std::size_t kMaxTopicsText = 8192;
constexpr std::size_t kMaxEventId = 64;
constexpr std::string_view kEventsType = "text/event-stream";

struct StreamQuery {
  std::string topics;
  std::string last_event_id;
};

Result<Reply<Nothing>> openStream(LiveStreams& streams,
                                  const Context& context,
                                  const StreamQuery& query) {
  std::vector<FollowedTopic> topics = TRY(parseTopics(query.topics));
  std::shared_ptr<http::PushedBody> body =
      TRY(streams.open(context.caller(), std::move(topics), query.last_event_id));
  Reply<Nothing> reply{Nothing()};
  reply.stream = std::move(body);
  reply.with("Content-Type", kEventsType);
  // Proxies must neither store the events nor collect them: nginx obeys the second field.
  reply.with("Cache-Control", "no-store, no-transform");
  reply.with("X-Accel-Buffering", "no");
  return reply;
}

void describeStream(json::Writer& out, schema::Components& /*components*/) {
  out.key("type").string("string");
  out.key("description")
      .string(
          "Server-sent events. `ready` after the start. `calls`, `spans`, `runs`, `jobs`, "
          "`evaluations` (`{\"project\", \"count\", \"newest\"}`) and `deliveries` (`{\"team\", "
          "\"count\", \"newest\"}`) after changes, at most four times a second each. `resync` if "
          "changes were missed: read the current state. `closed` (`{\"reason\"}`) before the "
          "server ends the stream. Comments every 15 seconds.");
}

}  // namespace

void addLiveRoutes(http::Router& router, LiveStreams& streams, const http::RoutePolicy& policy) {
  const http::RouteGroup routes(router, policy, "live");
  http::Route& route = routes.get(
      "/api/v1/stream",
      {"streamChanges", "Follow changes as server-sent events",
       "Events are hints that something has changed; the other endpoints return the data. A stream "
       "ends when the API key or session becomes invalid or access to a topic is lost."},
      {.params = http::Parameters<StreamQuery>()
                     .requiredQuery("topics", &StreamQuery::topics,
                                    string({.min_length = 1, .max_length = kMaxTopicsText}),
                                    "1 to 32 topics, separated by commas: `calls:team/project`, "
                                    "also `spans`, `runs`, `jobs`, `evaluations`; "
                                    "`deliveries:team`.")
                     .header("Last-Event-ID", &StreamQuery::last_event_id,
                             string({.max_length = kMaxEventId}),
                             "The last id that the client received. The stream continues there, or "
                             "begins with `resync`."),
       .facts = {.statuses = {404}}},
      [&streams](const Context& context, const StreamQuery& query) {
        return openStream(streams, context, query);
      });
  route.reply_type = kEventsType;
  route.describe_reply = describeStream;
}

}  // namespace spindle::app
