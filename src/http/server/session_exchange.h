#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/server/body_budget.h"
#include "http/server/session.h"

namespace spindle::http {

/// The state of one request and its response in a Session.
struct Session::Exchange {
  std::chrono::steady_clock::time_point began;
  Method method = Method::kOther;  ///< as sent; `request` has kGet for HEAD
  Request request;
  RequestFraming framing;
  bool framed = false;  ///< the head was parsed
  bool body_read = false;
  bool try_on_io_thread = false;       ///< the service may respond on this I/O thread
  bool uses_outbound_threads = false;  ///< the handler runs on the outbound threads
  bool credential_pending = false;     ///< the credential has not been checked yet
  bool presumed = false;               ///< the pending credential was valid recently
  bool checking = false;               ///< a worker checks the credential, before the body is read
  std::size_t body_limit = 0;
  std::string share_class;    ///< class in the fair sharing of workers
  std::string budget_key;     ///< API key that the body is charged to; empty: none
  BodyBudget::Charge charge;  ///< memory of the body

  // Arrival rate of the body. Only time spent waiting for the client counts.
  std::chrono::steady_clock::time_point wait_began;
  std::chrono::steady_clock::duration waited{};
  std::uint64_t received = 0;
  ErrorShape errors = ErrorShape::kDetail;  ///< format of errors that the server itself sends
  Coding body_coding = Coding::kIdentity;

  Response response;
  Coding coding = Coding::kIdentity;  ///< of the response
  bool close = false;                 ///< close the connection after this response
  std::string_view rejected;          ///< reason of a refusal, for the metrics; static text
  std::uint64_t bytes_sent = 0;       ///< of the response body
  std::uint64_t unread = 0;           ///< bytes of the body to discard before the next request

  // State of a streamed response.
  bool pulls = false;  ///< a worker reads the stream
  std::unique_ptr<Encoder> encoder;
  std::optional<std::uint64_t> stream_length;  ///< set if it is known in advance
  BodyStream::State stream_state = BodyStream::State::kWait;
  std::string stream_chunk;

  // State of a body that an Upload receives chunk by chunk.
  std::shared_ptr<Upload> upload;
  UploadStep upload_step = UploadStep::kTake;
  std::string upload_chunk;  ///< the chunk that the worker processes

  bool headOnly() const { return method == Method::kHead; }
};

}  // namespace spindle::http
