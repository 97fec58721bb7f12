#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::transfer {

/// What a server said to one request.
struct Answer {
  int status = 0;
  std::optional<std::chrono::seconds> retry_after = {};
  std::string body = {};

  bool ok() const { return status == 200; }
  /// The request itself is at fault: sending it again changes nothing, sending less may.
  bool isRefusal() const { return status == 400 || status == 413 || status == 422; }
  /// The server asks to come back later.
  bool asksToWait() const { return status == 429 || status == 503; }
};

/// What an answer other than 200 says, for a person: `the server answered 404: Project not found`.
Error explain(const Answer& answer);
/// The reason alone, out of the body.
std::string reasonOf(const Answer& answer);

/// The tracing API of a server as its client sees it. Calls block; for one thread at a time.
class CallServer {
 public:
  virtual ~CallServer() = default;

  /// Takes the next bytes of an answer; its error ends the exchange.
  using Take = std::function<Result<void>(std::string_view bytes)>;

  /// @return any answer, or the error of a connection that failed.
  virtual Result<Answer> post(const std::string& path, std::string body) = 0;
  /// The same for an answer of any length: the body of a 200 goes to `take` as it comes, and is
  /// empty in what is returned. @return also the error of `take`.
  virtual Result<Answer> stream(const std::string& path, std::string body, const Take& take) = 0;
};

/// How somebody waits; tests do not.
using Pause = std::function<void(std::chrono::seconds)>;

/// Asks again for as long as the server asks to wait: as long as Retry-After says, or longer and
/// longer. Gives up after ten minutes, with that answer.
Result<Answer> askPatiently(const Pause& pause, const std::function<Result<Answer>()>& ask);

}  // namespace spindle::transfer
