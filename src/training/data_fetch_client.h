#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/target_rules.h"
#include "training/job.h"

namespace spindle::http {
class Client;
}

namespace spindle::training {

class TrainingFileStore;

struct DataFetchOptions {
  std::size_t largest = 0;            ///< bytes
  std::filesystem::path folder = {};  ///< below which files may be read; empty: none
};

/// Brings training data here that is not in an artifact: from `https://…` and, where the rules say
/// so, `http://…`, and from `file:///…` below one folder. What is fetched is kept before a job is
/// made of it, so that neither a restart nor a change at its source matters any more. Every address
/// is checked right before connecting, also behind redirects. Thread-safe; blocks for as long as
/// the source takes, minutes at most.
class DataFetcher {
 public:
  /// Everything given must outlive this.
  DataFetcher(http::Client& client,
              http::TargetRules rules,
              TrainingFileStore& files,
              DataFetchOptions options);

  /// Whether a `training_data_url` is one of these.
  static bool isFor(std::string_view url);

  /// @return kInvalidArgument with what to do about it; kStorageFull, kUnavailable.
  Result<JobData> fetch(const std::string& url) const;

 private:
  Result<JobData> fetchFile(const std::string& url) const;
  Result<JobData> fetchPage(const std::string& url) const;

  http::Client& client_;
  const std::shared_ptr<const http::TargetRules> rules_;
  TrainingFileStore& files_;
  const DataFetchOptions options_;
};

}  // namespace spindle::training
