#pragma once

#include <string_view>

namespace spindle {

/// The caller and the client of the request that the current thread handles. Views into the
/// request.
struct RequestOrigin {
  std::string_view user_id = {};     ///< empty: the caller is not authenticated
  std::string_view username = {};    ///< empty: the name that the user has when a change is made
  std::string_view credential = {};  ///< public id of the API key or session; empty if `user_id` is
  std::string_view address = {};     ///< of the client
  std::string_view user_agent = {};  ///< as sent; may have any bytes
  std::string_view request_id = {};
};

/// A scope in which the current thread works for one request. Repositories read the origin for the
/// audit log, so that it need not be a parameter of every change. Scopes nest. `origin` must
/// outlive the scope.
class RequestOriginScope {
 public:
  explicit RequestOriginScope(const RequestOrigin& origin) : outer_(current_) {
    current_ = &origin;
  }
  ~RequestOriginScope() { current_ = outer_; }
  RequestOriginScope(const RequestOriginScope&) = delete;
  RequestOriginScope& operator=(const RequestOriginScope&) = delete;

  /// Returns the origin of the innermost scope, or null on a thread that handles no request.
  static const RequestOrigin* current() { return current_; }

 private:
  static inline thread_local const RequestOrigin* current_ = nullptr;
  const RequestOrigin* const outer_;
};

}  // namespace spindle
