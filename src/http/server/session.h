#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/core/mutex.h"
#include "http/io/io_thread.h"
#include "http/io/read_buffer.h"
#include "http/io/task.h"
#include "http/io/transport.h"
#include "http/io/worker_pool.h"
#include "http/message/body_stream.h"
#include "http/message/compression.h"
#include "http/message/message.h"
#include "http/message/request_parser.h"
#include "http/message/response_head.h"
#include "http/message/upload.h"
#include "http/server/access_log.h"
#include "http/server/body_budget.h"
#include "http/server/cors.h"
#include "http/server/server.h"

namespace spindle::http {

class ChunkDecoder;

/// The decision about a new connection.
enum class ConnectionDecision {
  kServe,
  kReject,  ///< the connection limit is reached: respond with 503 and close
};

/// The objects and counters that all sessions of a server share. Outlives the sessions.
struct SessionContext {
  SessionContext(const ServerOptions& server_options,
                 const Service& the_service,
                 WorkerPool& the_workers,
                 WorkerPool& the_outbound,
                 AccessLog* log,
                 MetricRegistry& metrics);

  /// Counts an opened or closed connection.
  void opened();
  void closed(ConnectionDecision decision);
  /// Blocks until no connection is open, for at most `limit`. @return true if none is open.
  bool waitUntilEmpty(std::chrono::milliseconds limit);

  const ServerOptions& options;
  const Service& service;
  const Cors cors;
  WorkerPool& workers;
  WorkerPool& outbound;         ///< for handlers that wait for other servers
  AccessLog* const access_log;  ///< null if disabled
  Gauge& connections;
  BodyBudget bodies;
  std::atomic<bool> draining{false};
  std::atomic<bool> retiring{false};      ///< responses close their connections
  std::atomic<std::size_t> serving{0};    ///< connections that count against the limit
  std::atomic<std::size_t> rejecting{0};  ///< connections over the limit that get a 503 now

 private:
  Mutex mutex_;
  Condition empty_;
  std::size_t open_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

/// One client connection: reads requests, runs them on a worker, writes the responses in order.
///
/// Runs as a coroutine on the I/O thread to which the connection is pinned. Only that thread uses
/// the members, except that the worker alone uses the exchange while `work_` is submitted. The
/// coroutine owns the session.
class Session final : public Transport::Events,
                      public IoThread::Connection,
                      public std::enable_shared_from_this<Session> {
 public:
  /// Starts a session. Must run on `thread`, after SessionContext::opened() for the connection.
  static void start(SessionContext& context,
                    IoThread& thread,
                    std::shared_ptr<Transport> transport,
                    std::string peer,
                    ConnectionDecision decision);

  Session(SessionContext& context,
          IoThread& thread,
          std::shared_ptr<Transport> transport,
          std::string peer,
          ConnectionDecision decision);
  ~Session() override;

 private:
  enum class Phase { kHandshake, kIdle, kHead, kBody, kWork, kReply, kLinger };
  /// The action after a step.
  enum class Next {
    kRequest,  ///< read the next request
    kLeave,    ///< close gracefully
    kCut,      ///< close immediately
  };

  /// The operation of a worker on an upload.
  enum class UploadStep { kTake, kFinish, kDrop };

  /// A request and its response.
  struct Exchange;
  /// The wake-up callback of a stream; may outlive the session.
  class WakeGate;

  /// The job of the session on a worker thread.
  class Work final : public WorkerPool::Job, public IoThread::Completion {
   public:
    explicit Work(Session& session) : session_(session) {}
    void run() noexcept override;
    void drop() noexcept override;
    void completed() override;

   private:
    Session& session_;
  };

  // Transport::Events
  void onRead(Transport::Outcome outcome, std::size_t bytes) override;
  void onWritten(Transport::Outcome outcome, std::size_t bytes) override;
  void onControl(Transport::Outcome outcome) override;
  // IoThread::Connection
  void expired() override;
  void drain() override;
  bool cut() override;

  // session.cpp: lifecycle of a connection
  static Detached run(std::shared_ptr<Session> self);
  Task<Next> serveConnection();
  Task<Next> rejectConnection();
  Task<bool> awaitFirstByte();
  Task<Next> serve();
  Task<bool> readHead();
  Task<> leave();

  // session_body.cpp: request bodies in memory
  bool mustCheckCredentialFirst() const;
  Task<bool> checkCredential();
  void checkOnWorker();
  Task<bool> readBody();
  Task<bool> sendContinue();
  void refuseExpiredBody();
  Task<bool> readSizedBody();
  Task<bool> readChunkedBody();
  Task<bool> skipUnread();
  bool growBody(std::size_t needed, std::size_t most);
  Response budgetRefusal(BodyBudget::ChargeResult charge_result);
  bool decodeBody();
  void startBodyWait();
  void countBodyBytes(std::size_t bytes);
  bool countRead();

  // session_reply.cpp: handling and responding
  void completeRequestHead();
  std::optional<Response> earlyResponse();
  Response refusalOf(const RequestRefusal& refusal);
  Response temporaryRefusal(const RequestRefusal& refusal);
  Response busyResponse(WorkerPool::SubmitResult submitted);
  Task<Next> handle();
  Task<Next> reply(Response response);
  Task<Next> sendWhole();
  Task<bool> writeRest(Transport::Buffers buffers);
  bool tryWriteAll(Transport::Buffers& buffers);
  void writeHead(BodyFraming framing, std::uint64_t length);
  void decideToClose();
  void runOnWorker();
  bool handledOnIoThread();
  void handleOnWorker();
  void recordExchange();

  // session_stream.cpp: deferred and streamed responses
  Task<bool> awaitDeferredResponse(std::shared_ptr<DeferredResponse> later);
  Task<Next> sendStream();
  Task<bool> pump(std::shared_ptr<WakeGate> gate);
  bool takeChunk(std::string& chunk);
  bool keepsAnnouncedLength(bool last) const;
  void requestNextChunk();
  void readNextChunk();

  // session_upload.cpp: streamed request bodies
  Task<Next> receiveUpload(std::shared_ptr<Upload> upload);
  Task<bool> passBodyToUpload();
  Task<bool> readSizedChunk(std::string& chunk);
  Task<bool> readDecodedChunk(ChunkDecoder& decoder,
                              std::string& chunk,
                              std::size_t size,
                              bool& last);
  void uploadOnWorker();

  void armRead(char* data, std::size_t size);
  void armRead();
  bool readFailed() const { return read_outcome_ != Transport::Outcome::kOk; }
  bool clientGone() const { return closed_ || (!reading_ && readFailed()); }
  void enter(Phase phase, std::chrono::milliseconds limit);
  void enter(Phase phase);
  bool draining() const { return context_.draining.load(std::memory_order_relaxed); }
  bool retiring() const { return context_.retiring.load(std::memory_order_relaxed); }

  SessionContext& context_;
  IoThread& thread_;
  const std::shared_ptr<Transport> transport_;  ///< created by the accepting thread
  const std::string peer_;
  const ConnectionDecision decision_;
  RequestParser parser_;

  Signal changed_;  ///< notified after every event below
  Phase phase_ = Phase::kHandshake;
  bool expired_ = false;  ///< the deadline of the current phase has passed
  bool closed_ = false;   ///< by cut()
  bool fresh_ = true;     ///< no request received yet

  ReadBuffer in_;
  BodyBudget::Charge head_charge_;  ///< memory of `in_` while a head is read
  bool reading_ = false;
  bool reading_into_buffer_ = false;
  bool watching_ = false;  ///< keeps reading during a response, to detect a disconnected client
  Transport::Outcome read_outcome_ = Transport::Outcome::kOk;
  std::size_t read_bytes_ = 0;

  bool writing_ = false;
  Transport::Outcome write_outcome_ = Transport::Outcome::kOk;
  std::size_t written_bytes_ = 0;

  bool controlling_ = false;
  Transport::Outcome control_outcome_ = Transport::Outcome::kOk;

  Work work_;
  bool working_ = false;
  bool work_dropped_ = false;

  std::unique_ptr<Exchange> exchange_;  ///< null between requests
  std::string head_;                    ///< of the response; a member to reuse its memory
};

}  // namespace spindle::http
