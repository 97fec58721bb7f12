#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "inference/catalogue/catalogue_cache.h"
#include "inference/upstream_adapters/peft_folder.h"

namespace spindle::http {
class Client;
struct ClientRequest;
struct Response;
}  // namespace spindle::http

namespace spindle::inference {

/// Requests to vLLM's adapter API and to the adapter receiver beside it. Thread-safe; no call
/// blocks. Callbacks run on the I/O thread of the client, exactly once; the destructor calls those
/// that are outstanding with kUnavailable. Errors are safe for clients; the log has the details.
class VllmAdapterClient {
 public:
  using Done = std::function<void(Result<void>)>;

  VllmAdapterClient();
  ~VllmAdapterClient();

  /// Lists the adapters of Spindle that are loaded; nothing if the upstream does not respond.
  void list(const ReachableUpstream& upstream, std::function<void(std::vector<std::string>)> done);
  /// Sends the files to the receiver of the upstream unless it has them.
  void transfer(std::shared_ptr<const ReachableUpstream> upstream,
                std::shared_ptr<const StagedAdapter> adapter,
                Done done);
  /// Loads the adapter from a folder on the host of the upstream. An adapter that is already loaded
  /// is a success, because names are unique per content.
  void load(const ReachableUpstream& upstream,
            const std::string& name,
            const std::string& path,
            Done done);
  /// Unloads an adapter. Failures are logged.
  void unload(const ReachableUpstream& upstream,
              const std::string& name,
              std::function<void()> done);

 private:
  struct Transfer;

  void sendNext(std::shared_ptr<Transfer> transfer);

  std::unique_ptr<http::Client> client_;
};

}  // namespace spindle::inference
