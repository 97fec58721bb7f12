#pragma once

#include <optional>
#include <string>

#include "base/core/time.h"
#include "http/router/operation.h"
#include "identity/api/session_api.h"
#include "schema/record.h"

namespace spindle::identity {

/// The caller's session in API responses.
struct SessionView {
  std::string username;
  std::optional<std::string> name;
  bool organization_admin = false;
  std::optional<std::string> csrf_token;  ///< empty for a request with an API key
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> idle_expires_at;
};

inline constexpr std::size_t kShortestPassword = 12;
inline constexpr std::size_t kLongestPassword = 1024;

schema::Codec<SessionView> sessionViewCodec();
schema::Codec<std::string> newPasswordCodec();

/// Returns the view of a user without a session.
SessionView viewOf(const User& user);
/// Adds a session that is used now.
void addSession(const SessionServices& services,
                std::string_view token,
                Timestamp expires_at,
                SessionView& view);

/// Returns the response that gives a new session to the browser.
http::Reply<SessionView> replyWithSession(const SessionServices& services,
                                          const http::Request& request,
                                          const OpenedSession& opened);

}  // namespace spindle::identity
