#pragma once

#include <span>
#include <string>
#include <string_view>

#include "http/router/forward.h"
#include "http/router/static_assets.h"

namespace spindle::app {

/// The console: embedded files, and one page for all of its screens. The page's `<base href>` is
/// the path prefix at which the browser reached the server. Immutable and thread-safe.
class ConsolePages {
 public:
  /// `assets` must outlive this object.
  explicit ConsolePages(std::span<const http::Asset> assets);

  /// Serves a path below `/console/`: a file, or the page for the path of a screen. Returns 404 for
  /// the name of a file that does not exist. `path` is percent-decoded.
  http::Response serve(const http::Request& request, std::string_view path) const;

 private:
  http::Response page(const http::Request& request) const;

  http::StaticAssets files_;
  // The page around the path prefix:
  std::string before_;
  std::string after_;
};

/// Adds /console, the paths below it, and the redirect from / to it. `console` must outlive the
/// router.
void addConsoleRoutes(http::Router& router, const ConsolePages& console);

}  // namespace spindle::app
