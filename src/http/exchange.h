#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/body_budget.h"
#include "http/session.h"

namespace spindle::http {

struct Session::Exchange {
  std::chrono::steady_clock::time_point began;
  Method method = Method::kOther;  ///< as sent; `request` has kGet for HEAD
  Request request;
  RequestFraming framing;
  bool framed = false;  ///< the head was understood
  bool body_read = false;
  std::size_t body_limit = 0;
  bool at_once = false;             ///< the service may answer on this thread
  bool waits_outside = false;       ///< runs on the threads for handlers that wait for others
  bool credential_pending = false;  ///< nobody has checked it yet
  bool presumed = false;            ///< pending, and was good a moment ago
  bool checking = false;            ///< a worker checks the credential, before the body is read
  std::string share_class;          ///< whose part of the workers it uses
  std::string budget_key;           ///< whose bytes the body counts as; empty: nobody's
  BodyBudget::Charge charge;        ///< memory of the body

  // How fast the body comes. Only time spent waiting for the client counts.
  std::chrono::steady_clock::time_point wait_began;
  std::chrono::steady_clock::duration waited{};
  std::uint64_t received = 0;
  ErrorShape errors = ErrorShape::kDetail;  ///< how the edge words what it refuses
  Coding body_coding = Coding::kIdentity;

  Response response;
  Coding coding = Coding::kIdentity;  ///< of the answer
  std::string_view rejected;          ///< why the edge refused it, for the metrics; static text
  std::uint64_t bytes_sent = 0;       ///< of the answer's body
  bool close = false;                 ///< the connection ends with this answer
  std::uint64_t unread = 0;           ///< bytes of the body to throw away before the next request

  // Of a streamed answer.
  bool pulls = false;  ///< the stream is asked on a worker
  std::unique_ptr<Encoder> encoder;
  std::optional<std::uint64_t> stream_length;  ///< when it is known before
  BodyStream::State stream_state = BodyStream::State::kWait;
  std::string stream_piece;

  // Of a body that is taken piece by piece.
  std::shared_ptr<Upload> upload;
  UploadStep upload_step = UploadStep::kTake;
  std::string upload_piece;  ///< with the worker

  bool headOnly() const { return method == Method::kHead; }
};

}  // namespace spindle::http
