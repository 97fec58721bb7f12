#pragma once

#include <string_view>

namespace spindle::agents {

/// Probability sampling of traces. Only the trace id decides, so that all spans of a trace are kept
/// or dropped together, whichever request contains them. Immutable, thread-safe.
class Sampler {
 public:
  /// `rate` is the fraction of traces to keep; a value outside 0 to 1 means 1. A dry run keeps all.
  explicit Sampler(double rate = 1.0, bool dry_run = false);

  /// Returns false if all traces are kept, so that keeps() need not be called.
  bool active() const { return rate_ < 1.0; }
  bool dryRun() const { return dry_run_; }
  double rate() const { return rate_; }

  /// Returns true for invalid trace ids (not 32 characters, or all zeros). Their spans are always
  /// kept.
  static bool isExempt(std::string_view trace_id);
  /// Returns true if the trace is kept. The id is in lower-case hex.
  bool keeps(std::string_view trace_id) const;

 private:
  double rate_;
  bool dry_run_;
};

}  // namespace spindle::agents
