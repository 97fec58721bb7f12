#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/session_api.h"
#include "identity/api/user_view.h"
#include "identity/store/session_repository.h"
#include "identity/store/user_repository.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::nullable, schema::string;

struct ListedSession : UserSession {
  bool current = false;
};

struct SessionQuery : http::PageQuery {
  std::optional<std::string> username;
};
struct SessionPath {
  std::string id;
};

schema::Codec<ListedSession> listedSessionCodec() {
  return schema::Record<ListedSession>("ListedSession")
      .required("id", &ListedSession::id, string(), "Id for ending the session.")
      .required("created_at", &ListedSession::created_at, schema::dateTime())
      .required("last_used_at", &ListedSession::last_used_at, schema::dateTime(),
                "Accurate to about ten minutes.")
      .required("expires_at", &ListedSession::expires_at, schema::dateTime(), "At the latest.")
      .required("client", &ListedSession::client, string(), "The browser, as it names itself.")
      .required("address", &ListedSession::address, string(), "The address of the sign-in.")
      .required("current", &ListedSession::current, schema::boolean(), "The session of the caller.")
      .codec();
}

/// Returns the id of the user whose sessions are listed.
Result<std::string> listedUser(const SessionServices& services,
                               const Context& context,
                               const std::optional<std::string>& username) {
  const std::string& caller = context.caller().user_id;
  if (!username) return caller;
  const bool admin = TRY(services.access.isOrganizationAdmin(caller));
  const Result<User> user = services.users.findByUsername(*username);
  if (user && user->id == caller) return caller;
  // The same response whether the user exists or not.
  if (!admin) return Error::denied("The sessions of other users are for organization admins.");
  if (!user) return user.error();
  return user->id;
}

Result<http::PageReply<ListedSession>> listSessions(const SessionServices& services,
                                                    const Context& context,
                                                    const SessionQuery& query) {
  const std::string user_id = TRY(listedUser(services, context, query.username));
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<UserSession> page = TRY(services.sessions.list(user_id, request));
  const std::string& current = context.caller().session_id;
  return pageReply<ListedSession>(page, [&current](const UserSession& session) {
    return ListedSession{session, session.id == current};
  });
}

Result<void> endSession(const SessionServices& services,
                        const Context& context,
                        const SessionPath& path) {
  const std::string& caller = context.caller().user_id;
  const UserSession session = TRY(services.sessions.find(path.id));
  if (session.user_id != caller && !TRY(services.access.isOrganizationAdmin(caller))) {
    return Error::notFound("Session not found");
  }
  return services.sessions.remove(path.id);
}

}  // namespace

void addSessionListRoutes(const SessionRoutes& routes) {
  routes.get("/api/v1/sessions",
             {"listSessions", "List sessions", "The browser sessions of one user, newest first."},
             {.params = http::pageParameters<SessionQuery>().query(
                  "username", &SessionQuery::username, nullable(string()),
                  "User name; the caller when left out. Other users are for organization admins."),
              .reply = http::pageCodec("SessionPage", listedSessionCodec())},
             listSessions);
  routes.remove("/api/v1/sessions/{id}",
                {"endSession", "End a session",
                 "The server rejects the session from the next request on. Organization admins may "
                 "end the sessions of everyone."},
                {.params = http::Parameters<SessionPath>().path("id", &SessionPath::id, string(),
                                                                "Id of the session.")},
                endSession);
}

}  // namespace spindle::identity
