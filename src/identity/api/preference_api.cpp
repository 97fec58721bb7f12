#include <cstddef>
#include <utility>

#include "http/router/resource.h"
#include "http/router/route_group.h"
#include "identity/api/identity_api.h"
#include "identity/store/preference_repository.h"

namespace spindle::identity {
namespace {

using http::Context, http::Reply;

constexpr std::size_t kMaxPreferenceBytes = 64UL * 1024;
/// Depth of the preferences and of the object around them.
constexpr std::size_t kMaxPreferenceDepth = 16 + 1;

struct PreferenceBody {
  json::Text preferences;
};

schema::Codec<PreferenceBody> preferenceCodec() {
  return schema::Record<PreferenceBody>("Preferences", schema::Extra::kForbid)
      .required("preferences", &PreferenceBody::preferences, schema::jsonObject(),
                "Any JSON object. The server does not interpret it.")
      .codec();
}

Reply<PreferenceBody> replyWith(Preferences preferences) {
  return http::versionedReply(PreferenceBody{json::Text{std::move(preferences.json)}},
                              preferences.version);
}

Result<Reply<PreferenceBody>> showPreferences(const IdentityServices& services,
                                              const Context& context) {
  Preferences preferences = TRY(services.preferences.find(context.caller().user_id));
  return replyWith(std::move(preferences));
}

Result<Reply<PreferenceBody>> putPreferences(const IdentityServices& services,
                                             const Context& context,
                                             const PreferenceBody& body) {
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  Preferences preferences =
      TRY(services.preferences.put(context.caller().user_id, body.preferences.json, version));
  return replyWith(std::move(preferences));
}

}  // namespace

void addPreferenceRoutes(const IdentityRoutes& routes) {
  http::RoutePolicy policy = routes.policy();
  policy.body_limit = kMaxPreferenceBytes;
  policy.json_depth = kMaxPreferenceDepth;
  const IdentityRoutes small = routes.with(policy);
  small.get("/api/v1/me/preferences",
            {"getPreferences", "Show the caller's preferences", "An empty object at first."},
            {.reply = preferenceCodec(), .facts = {.etag = true}}, showPreferences);
  small.put("/api/v1/me/preferences",
            {"putPreferences", "Replace the caller's preferences",
             "At most 64 KiB with a depth of at most 16."},
            {.body = preferenceCodec(),
             .reply = preferenceCodec(),
             .facts = {.etag = true, .if_match = true}},
            putPreferences);
}

}  // namespace spindle::identity
