#include "app/server/local_use.h"

#include <stdexcept>

#include "app/server/log.h"
#include "http/message/forwarded.h"

namespace spindle::app {
namespace {

constexpr std::string_view kMarkerText =
    "A proxy has relayed a request to this server: webhooks.allow_private = auto refuses loopback "
    "and private targets from then on. Delete this file while the server is stopped to undo "
    "that.\n";

bool listensOnLoopback(const config::ServerSettings& server) {
  const std::string& host = server.listen.host;
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Returns the id of the only account; empty when there is none or more than one.
Result<std::string> onlyUserIn(identity::UserRepository& users) {
  const identity::Page<identity::User> page = TRY(users.list("", {.limit = 2, .after = ""}));
  return page.items.size() == 1 ? page.items.front().id : std::string();
}

}  // namespace

LocalUse::LocalUse(const config::ServerSettings& server,
                   identity::UserRepository& users,
                   const storage::DataFolder& folder)
    : is_loopback_(listensOnLoopback(server)),
      users_(users),
      folder_(folder),
      forwarded_(folder.read(kForwardedMarker).has_value()) {
  const Result<std::string> only = onlyUserIn(users_);
  if (!only) throw std::runtime_error("cannot read the users: " + only.error().message());
  only_user_ = *only;
  has_other_users_ = only_user_.empty();
}

LocalUse::~LocalUse() {
  if (recorder_.joinable()) recorder_.join();
}

void LocalUse::refresh() {
  if (has_other_users_) return;
  const Result<std::string> only = onlyUserIn(users_);
  if (!only) {
    kLog.warning("users_not_counted", {{"reason", only.error().message()}});
  } else if (*only != only_user_) {
    has_other_users_ = true;
  }
}

void LocalUse::requestArrived(const http::Request& head) {
  if (forwarded_ || !http::wasForwarded(head.headers)) return;
  forwarded_ = true;
  std::call_once(recorded_, [this] { recorder_ = std::thread([this] { recordForwarded(); }); });
}

void LocalUse::callerAccepted(const http::Principal& caller) {
  if (!has_other_users_ && caller.user_id != only_user_) has_other_users_ = true;
}

void LocalUse::recordForwarded() {
  try {
    folder_.create(kForwardedMarker, kMarkerText);
    kLog.info("forwarded_request_seen", {{"marker", kForwardedMarker}});
  } catch (const std::exception& failure) {
    kLog.warning("forwarded_request_not_recorded", {{"reason", failure.what()}});
  }
}

}  // namespace spindle::app
