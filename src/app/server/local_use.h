#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "config/settings.h"
#include "http/browser/session_cookies.h"
#include "http/message/message.h"
#include "http/router/authentication.h"
#include "identity/store/user_repository.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Tracks whether only one person uses the server, from its own machine. That is the case while the
/// server listens on loopback, has a single account, and no proxy has forwarded a request to it.
/// Then `webhooks.allow_private = auto` allows loopback and private targets.
///
/// The first forwarded request is recorded in the data folder (kForwardedMarker), so it counts also
/// after a restart. A second account counts from its first request on, or after the next refresh().
/// Thread-safe; only the constructor and refresh() block.
class LocalUse {
 public:
  static constexpr std::string_view kForwardedMarker = "forwarded-requests-seen";

  /// The first account must exist already. `users` and `folder` must outlive this object.
  /// @throws std::runtime_error when the accounts or the marker cannot be read.
  LocalUse(const config::ServerSettings& server,
           identity::UserRepository& users,
           const storage::DataFolder& folder);
  /// Blocks until a pending write of the marker is complete.
  ~LocalUse();
  LocalUse(const LocalUse&) = delete;
  LocalUse& operator=(const LocalUse&) = delete;

  /// Returns true while only one person uses the server, from its own machine.
  bool holds() const { return is_loopback_ && !forwarded_ && !has_other_users_; }

  /// Reads the number of accounts again.
  void refresh();

  /// Checks the head of a request for signs of a proxy.
  void requestArrived(const http::Request& head);
  /// Checks whether an accepted credential belongs to a second account.
  void callerAccepted(const http::Principal& caller);

 private:
  void recordForwarded();

  const bool is_loopback_;
  identity::UserRepository& users_;
  const storage::DataFolder& folder_;
  std::string only_user_;  ///< constant after construction; empty with several users
  std::atomic<bool> forwarded_;
  std::atomic<bool> has_other_users_ = false;
  std::once_flag recorded_;
  std::thread recorder_;  ///< writes the marker: I/O threads must not block on the disk
};

/// Passes the head of every request to LocalUse and to the inner service. Both must outlive this
/// object.
class ObservedService final : public http::Service {
 public:
  ObservedService(const http::Service& inner, LocalUse& local_use)
      : inner_(inner), local_use_(local_use) {}

  http::Admission admit(const http::Request& head) const override {
    local_use_.requestArrived(head);
    return inner_.admit(head);
  }
  std::optional<http::Response> checkCredential(http::Request& head) const override {
    return inner_.checkCredential(head);
  }
  std::optional<http::Response> handleOnIoThread(http::Request& request) const override {
    return inner_.handleOnIoThread(request);
  }
  http::Response handle(http::Request& request) const override { return inner_.handle(request); }

 private:
  const http::Service& inner_;
  LocalUse& local_use_;
};

/// Passes every authenticated caller to LocalUse. Both arguments must outlive this object.
class ObservedAuthenticator final : public http::Authenticator {
 public:
  ObservedAuthenticator(const http::Authenticator& inner, LocalUse& local_use)
      : inner_(inner), local_use_(local_use) {}

  Result<http::Principal> authenticate(std::string_view api_key) const override {
    Result<http::Principal> caller = inner_.authenticate(api_key);
    if (caller) local_use_.callerAccepted(*caller);
    return caller;
  }

 private:
  const http::Authenticator& inner_;
  LocalUse& local_use_;
};

/// Passes every caller with a session to LocalUse. Both arguments must outlive this object.
class ObservedSessions final : public http::SessionAuthenticator {
 public:
  ObservedSessions(const http::SessionAuthenticator& inner, LocalUse& local_use)
      : inner_(inner), local_use_(local_use) {}

  Result<http::Principal> authenticate(std::string_view token) const override {
    Result<http::Principal> caller = inner_.authenticate(token);
    if (caller) local_use_.callerAccepted(*caller);
    return caller;
  }
  std::string csrfTokenOf(std::string_view token) const override {
    return inner_.csrfTokenOf(token);
  }

 private:
  const http::SessionAuthenticator& inner_;
  LocalUse& local_use_;
};

}  // namespace spindle::app
