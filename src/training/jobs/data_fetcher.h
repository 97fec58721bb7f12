#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/client/egress_policy.h"
#include "training/jobs/job.h"

namespace spindle::http {
class Client;
}

namespace spindle::training {

class TrainingFileStore;

struct DataFetchOptions {
  std::size_t largest = 0;            ///< bytes
  std::filesystem::path folder = {};  ///< parent folder of readable files; empty: none
};

/// Downloads training data that is not in an artifact: from `https://…`, from `http://…` if the
/// rules allow it, and from `file:///…` below one folder. Stores the data before the job is
/// created, so that restarts and changes at the source have no effect. Checks every address right
/// before connecting, also after redirects. Thread-safe; blocks until the source has sent
/// everything, minutes at most.
class DataFetcher {
 public:
  /// All arguments must outlive this object.
  DataFetcher(http::Client& client,
              http::EgressPolicy rules,
              TrainingFileStore& files,
              DataFetchOptions options);

  /// Returns true if fetch() supports the URL scheme of a `training_data_url`.
  static bool isFor(std::string_view url);

  /// Downloads and stores the data.
  /// @return kInvalidArgument with advice for the user; kStorageFull; kUnavailable
  Result<JobData> fetch(const std::string& url) const;

 private:
  Result<JobData> fetchFile(const std::string& url) const;
  Result<JobData> fetchPage(const std::string& url) const;

  http::Client& client_;
  const std::shared_ptr<const http::EgressPolicy> rules_;
  TrainingFileStore& files_;
  const DataFetchOptions options_;
};

}  // namespace spindle::training
