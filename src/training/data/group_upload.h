#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/error.h"
#include "http/message/compression.h"
#include "http/message/upload.h"
#include "training/data/body_splitter.h"
#include "training/data/group_summary.h"
#include "training/data/training_file_store.h"
#include "training/data/trajectory_schema.h"

namespace spindle::training {

/// Receives a request body with `trajectory_groups`. Checks each group and writes it as a line as
/// soon as it is complete, so that only one group is in memory. Supports compressed bodies.
class GroupUpload final : public http::Upload {
 public:
  /// The received body: everything except the groups, the aggregated groups, and the stored groups.
  /// The groups are kept only if the receiver calls `groups.finish()`.
  struct Body {
    std::string skeleton;  ///< JSON in which `trajectory_groups` is empty
    std::vector<Violation> violations;
    GroupSummary summary;
    TrainingFileWriter& groups;
  };
  using OnWhole = std::function<http::Response(Body body)>;

  struct Options {
    http::Coding coding = http::Coding::kIdentity;
    http::ErrorShape errors = http::ErrorShape::kDetail;
    std::size_t largest = 0;
    std::size_t json_depth = 0;
  };
  GroupUpload(std::unique_ptr<TrainingFileWriter> intake, const Options& options, OnWhole on_whole);

  std::optional<http::Response> take(std::string_view piece) override;
  http::Response finish() override;

 private:
  void takeGroup(std::string text, std::size_t position);
  std::optional<http::Response> refuse(const Error& error) const;
  Error notJson(std::size_t position, const std::string& message) const;

  const std::unique_ptr<TrainingFileWriter> intake_;
  const Options options_;
  const OnWhole on_whole_;
  const std::unique_ptr<http::Decoder> decoder_;  ///< null if the body is not compressed
  const schema::Codec<GroupBody> codec_;
  BodySplitter splitter_;
  GroupSummary summary_;
  std::int64_t groups_ = 0;
  std::size_t bytes_ = 0;  ///< decoded
  std::vector<Violation> violations_;
  std::optional<Error> failure_;
};

/// Returns a response that receives such a body.
/// @return kUnavailable, kUnsupportedMediaType
Result<http::Response> groupUpload(const http::Request& request,
                                   TrainingFileStore& files,
                                   GroupUpload::Options options,
                                   GroupUpload::OnWhole on_whole);

}  // namespace spindle::training
