#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/time.h"
#include "http/message/message.h"

namespace spindle::http {
class ScriptedServer;
}

namespace spindle::s3 {

/// A bucket named `bucket` in memory, behind HTTP on a free port of the loopback address, for
/// tests. Thread-safe.
class FakeS3 {
 public:
  struct Request {
    std::string method;
    std::string key;    ///< empty for the bucket
    std::string query;  ///< as sent
    http::Headers headers;
    std::string body;
  };
  /// A fault of the server, for one request.
  struct Fault {
    enum class Kind {
      kNone,
      kStatus,       ///< responds with `status` and `code`
      kCutBefore,    ///< closes the connection without handling the request
      kCutAfter,     ///< handles the request, then closes the connection without a response
      kCutBody,      ///< closes the connection in the middle of the body of the response
      kSilence,      ///< sends nothing until the client gives up
      kFlipBody,     ///< changes one byte of the body of the response
      kForgetParts,  ///< drops the parts of all uploads, then handles the request
    };
    Kind kind = Kind::kNone;
    int status = 500;
    std::string code = "InternalError";
  };
  /// Called for every request, in order. May call the functions of the fake.
  using Script = std::function<Fault(const Request&)>;

  FakeS3();
  ~FakeS3();
  FakeS3(const FakeS3&) = delete;
  FakeS3& operator=(const FakeS3&) = delete;

  std::string endpoint() const;
  static constexpr std::string_view kBucket = "bucket";
  static constexpr std::string_view kAccessKey = "test-key";

  void setScript(Script script);
  /// Stops sending checksums in responses to HEAD, as older servers do.
  void hideChecksums();

  /// Returns the keys that start with a prefix.
  std::vector<std::string> keys(std::string_view prefix = {}) const;
  /// Returns the content of an object; empty if it does not exist.
  std::string contentOf(const std::string& key) const;
  void store(const std::string& key, const std::string& content);
  void remove(const std::string& key);
  std::size_t uploads() const;
  /// Makes all open uploads look as if they were begun that long ago.
  void makeUploadsOld(std::chrono::hours age);
  /// Returns the number of requests whose method and query begin so: `PUT`, `GET list-type`.
  int count(std::string_view method, std::string_view query_start = {}) const;

 private:
  struct Object {
    std::string content;
    std::string etag;
    std::string checksum;
  };
  struct Upload {
    std::string key;
    Timestamp started_at;
    std::map<int, Object> parts;
  };
  struct Reply {
    int status = 200;
    http::Headers headers;
    std::string body;
    std::size_t length = 0;  ///< announced for HEAD
  };

  Reply handle(const Request& request);
  Reply handleObject(const Request& request) SPINDLE_REQUIRES(mutex_);
  Reply putObject(const Request& request) SPINDLE_REQUIRES(mutex_);
  Reply getObject(const Request& request) SPINDLE_REQUIRES(mutex_);
  Reply handleUpload(const Request& request) SPINDLE_REQUIRES(mutex_);
  Reply complete(const Request& request, const std::string& id) SPINDLE_REQUIRES(mutex_);
  Reply listObjects(const Request& request) SPINDLE_REQUIRES(mutex_);
  Reply listUploads(const Request& request) SPINDLE_REQUIRES(mutex_);
  static Reply error(int status, std::string_view code);

  mutable Mutex mutex_;
  std::map<std::string, Object> objects_ SPINDLE_GUARDED_BY(mutex_);
  std::map<std::string, Upload> uploads_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::string> seen_ SPINDLE_GUARDED_BY(mutex_);  ///< method and query
  Script script_ SPINDLE_GUARDED_BY(mutex_);
  int next_upload_ SPINDLE_GUARDED_BY(mutex_) = 1;
  bool checksums_ SPINDLE_GUARDED_BY(mutex_) = true;
  std::unique_ptr<http::ScriptedServer> server_;
};

}  // namespace spindle::s3
