#include "identity/api/session_view.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace spindle::identity {

schema::Codec<SessionView> sessionViewCodec() {
  using schema::nullable, schema::string;
  return schema::Record<SessionView>("Session")
      .required("username", &SessionView::username, string())
      .required("name", &SessionView::name, nullable(string()), "Full name.")
      .required("organization_admin", &SessionView::organization_admin, schema::boolean(),
                "Administers the whole deployment.")
      .required("csrf_token", &SessionView::csrf_token, nullable(string()),
                "Value of the X-CSRF-Token header of requests other than GET. Null for a request "
                "with an API key, which needs none.")
      .required("expires_at", &SessionView::expires_at, nullable(schema::dateTime()),
                "When the session ends at the latest. Null for a request with an API key.")
      .required("idle_expires_at", &SessionView::idle_expires_at, nullable(schema::dateTime()),
                "When the session ends if it is not used.")
      .codec();
}

schema::Codec<std::string> newPasswordCodec() {
  return schema::string({.min_length = kShortestPassword, .max_length = kLongestPassword});
}

SessionView viewOf(const User& user) {
  SessionView view;
  view.username = user.username;
  if (!user.name.empty()) view.name = user.name;
  view.organization_admin = user.organization_admin;
  return view;
}

void addSession(const SessionServices& services,
                std::string_view token,
                Timestamp expires_at,
                SessionView& view) {
  const Timestamp idle = services.clock.now() +
                         std::chrono::duration_cast<std::chrono::microseconds>(services.times.idle);
  view.csrf_token = services.cookies.csrfTokenOf(token);
  view.expires_at = expires_at;
  view.idle_expires_at = std::min(idle, expires_at);
}

http::Reply<SessionView> replyWithSession(const SessionServices& services,
                                          const http::Request& request,
                                          const OpenedSession& opened) {
  SessionView view = viewOf(opened.user);
  addSession(services, opened.token.reveal(), opened.session.expires_at, view);
  const auto max_age =
      std::chrono::ceil<std::chrono::seconds>(opened.session.expires_at - services.clock.now());
  http::Reply<SessionView> reply(std::move(view));
  reply.with("Set-Cookie", services.cookies.storingField(request, opened.token.reveal(), max_age));
  return reply.with("Cache-Control", "no-store");
}

}  // namespace spindle::identity
