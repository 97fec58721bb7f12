#pragma once

#include "base/core/time.h"
#include "http/browser/session_cookies.h"
#include "http/router/forward.h"
#include "identity/sessions/sign_in.h"

namespace spindle::identity {

class Access;
class SessionRepository;
class UserRepository;

/// Dependencies of the routes. All must outlive the router.
struct SessionServices {
  UserRepository& users;
  Access& access;
  SessionRepository& sessions;
  SignIn& sign_in;
  const http::SessionCookies& cookies;
  const Clock& clock;
  SessionTimes times;
};

using SessionRoutes = http::RouteGroup<SessionServices>;

/// Returns the client of a request, for SignIn.
SignInClient signInClientOf(const http::Site& site, const http::Request& request);

/// Adds /api/v1/session and /sessions, and the routes of passwords.
void addSessionRoutes(SessionRoutes routes);

// The parts of addSessionRoutes(), one source file each:
void addSignInRoutes(const SessionRoutes& routes);
void addSessionListRoutes(const SessionRoutes& routes);
void addPasswordRoutes(const SessionRoutes& routes);

}  // namespace spindle::identity
