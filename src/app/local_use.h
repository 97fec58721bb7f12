#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "config/settings.h"
#include "http/authentication.h"
#include "http/message.h"
#include "identity/user_repository.h"
#include "storage/data_folder.h"

namespace spindle::app {

/// Tracks whether one person uses the server from its own machine only. That holds while the server
/// listens on loopback, has a single account, and no proxy has relayed a request to it; then
/// `webhooks.allow_private = auto` opens loopback and private targets.
///
/// The first relayed request is recorded in the data folder (kForwardedMarker), so a restart does
/// not forget it. A second account counts from its first request on, whoever created it, and
/// otherwise after the next refresh(). Thread-safe; only the constructor and refresh() block.
class LocalUse {
 public:
  static constexpr std::string_view kForwardedMarker = "forwarded-requests-seen";

  /// The first account exists already. Users and folder must outlive this.
  /// @throws std::runtime_error when the accounts or the marker cannot be read.
  LocalUse(const config::ServerSettings& server,
           identity::UserRepository& users,
           const storage::DataFolder& folder);
  /// Waits until the marker is on disk, if it is being written.
  ~LocalUse();
  LocalUse(const LocalUse&) = delete;
  LocalUse& operator=(const LocalUse&) = delete;

  bool holds() const { return is_loopback_ && !forwarded_ && !has_other_users_; }

  /// Reads again how many accounts exist.
  void refresh();

  /// Takes note of the head of a request.
  void requestArrived(const http::Request& head);
  /// Takes note of an accepted credential.
  void callerAccepted(const http::Principal& caller);

 private:
  void recordForwarded();

  const bool is_loopback_;
  identity::UserRepository& users_;
  const storage::DataFolder& folder_;
  std::string only_user_;  ///< constant after construction; empty when there are several
  std::atomic<bool> forwarded_;
  std::atomic<bool> has_other_users_ = false;
  std::once_flag recorded_;
  std::thread recorder_;  ///< writes the marker: I/O threads must not wait for the disk
};

/// Shows LocalUse the head of every request, and passes it on. Both must outlive this.
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
  std::optional<http::Response> handleAtOnce(http::Request& request) const override {
    return inner_.handleAtOnce(request);
  }
  http::Response handle(http::Request& request) const override { return inner_.handle(request); }

 private:
  const http::Service& inner_;
  LocalUse& local_use_;
};

/// Shows LocalUse every caller whose credential was accepted. Both must outlive this.
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

}  // namespace spindle::app
