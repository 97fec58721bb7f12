#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "http/client.h"

namespace spindle::trainer {

/// Calls to the server that gives out jobs (docs/trainer_protocol.md). Each may be repeated, and is
/// while the server does not answer; so a server that restarts costs time and nothing else. That it
/// does not answer, and that it does again, is logged once each. Files of our own that cannot be
/// read or written are kUnavailable because of kTrainerAtFault. Blocks. One thread at a time for
/// each call; thread-safe.
class ServerLink {
 public:
  /// `keep_trying` is asked between attempts. All must outlive this.
  ServerLink(http::Client& client,
             const std::string& url,
             Secret key,
             std::function<bool()> keep_trying);

  struct Answer {
    int status = 0;
    std::string body;
  };

  /// @return kUnavailable when it was told to stop trying; kConflict for 409; kPermissionDenied and
  /// kUnauthenticated; kInvalidArgument for what else the server refuses.
  Result<Answer> post(std::string_view path, std::string_view lease, std::string body);
  /// The same for a call whose answer may take its time: it is given up when it is to stop trying.
  /// `brief` goes instead while the server does not answer, and is answered as soon as it does.
  Result<Answer> wait(std::string_view path, const std::string& body, const std::string& brief);
  /// Sends a file.
  Result<void> put(std::string_view path, std::string_view lease, const std::string& file);
  /// Fetches into a file, which is whole or not there.
  Result<void> get(std::string_view path, std::string_view lease, const std::string& file);

 private:
  http::ClientRequest request(http::Method method,
                              std::string_view path,
                              std::string_view lease) const;
  Result<Answer> send(const std::function<Result<Answer>()>& once);
  /// One attempt. The body of a 200 goes to `take` where there is one, else into the answer.
  Result<Answer> receive(http::ClientRequest call,
                         const std::function<void(std::string_view bytes)>& take);
  void pauseFor(std::chrono::milliseconds time) const;
  void noteSilence(const std::string& reason);
  void noteAnswer();

  http::Client& client_;
  const std::string url_;
  const Secret key_;
  const std::function<bool()> keep_trying_;
  std::atomic<bool> silent_{false};
};

}  // namespace spindle::trainer
