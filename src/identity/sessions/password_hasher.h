#pragma once

#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/crypto/crypto.h"
#include "base/crypto/scrypt.h"
#include "base/crypto/secret.h"

namespace spindle::identity {

/// How many hashes are computed at the same time, and how many callers wait for their turn.
struct PasswordHasherLimits {
  int running = 2;
  int waiting = 8;
};

/// Hashes passwords with scrypt and a key of the server, so that a stolen database alone is not
/// enough to guess them. The hash contains its cost, which can therefore be raised later.
///
/// Few hashes are computed at the same time, and few callers wait for their turn: the others get
/// kUnavailable at once. Thread-safe; blocks for tenths of a second: worker threads only.
class PasswordHasher {
 public:
  /// `server_key` is derived from the server's secret key for this purpose only.
  explicit PasswordHasher(const Sha256& server_key,
                          ScryptCost cost = {},
                          PasswordHasherLimits limits = {});

  /// @return kUnavailable.
  Result<std::string> hash(const Secret& password);

  /// Returns true if the password has this hash. An empty or damaged hash matches no password, and
  /// takes the same time. @return kUnavailable.
  Result<bool> matches(const Secret& password, std::string_view hash);

 private:
  /// Waits until fewer than PasswordHasherLimits::running hashes are computed.
  class Turn;

  Result<Sha256> digestOf(const Secret& password, std::string_view salt, const ScryptCost& cost);

  const Sha256 server_key_;
  const ScryptCost cost_;
  const PasswordHasherLimits limits_;

  Mutex mutex_;
  Condition free_;
  int running_ SPINDLE_GUARDED_BY(mutex_) = 0;
  int waiting_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::identity
