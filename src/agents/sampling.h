#pragma once

#include <string_view>

namespace spindle::agents {

/// Keeps a part of all traces, always the same ones: which, only their ids decide, so that all
/// spans of a trace share its fate whichever request brings them. Immutable, thread-safe.
class Sampler {
 public:
  /// `rate` is the part to keep; outside 0 to 1 it is 1. A dry run keeps everything.
  explicit Sampler(double rate = 1.0, bool dry_run = false);

  /// False when everything is kept whatever its id: nothing needs to be asked.
  bool active() const { return rate_ < 1.0; }
  bool dryRun() const { return dry_run_; }
  double rate() const { return rate_; }

  /// True for ids that are no trace's: not 32 characters long, or all zeros. Those are always kept.
  static bool isExempt(std::string_view trace_id);
  /// What the id, in lower-case hex, decides.
  bool keeps(std::string_view trace_id) const;

 private:
  double rate_;
  bool dry_run_;
};

}  // namespace spindle::agents
