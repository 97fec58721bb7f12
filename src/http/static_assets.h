#pragma once

#include <map>
#include <span>
#include <string_view>

#include "http/message.h"

namespace spindle::http {

/// A file inside the program (see cmake/embed_assets.cmake). All views live as long as it runs.
struct Asset {
  std::string_view path;  ///< relative to its folder: `index.html`, `assets/app-1a2b3c4d.js`
  std::string_view media_type;
  std::string_view etag;  ///< strong, with its quotes; made from the contents
  std::string_view bytes;
};

/// Serves the files of a folder. Immutable, thread-safe.
///
/// Every answer has an ETag and may be asked for conditionally. A name with a content hash may be
/// kept for ever, everything else is checked each time. Pages may load from their own origin only
/// and cannot be framed.
class StaticAssets {
 public:
  /// `assets` must outlive this.
  explicit StaticAssets(std::span<const Asset> assets);

  bool has(std::string_view path) const { return find(path) != nullptr; }

  /// 200 or 304; 404 without a body for a path that there is none of, 405 for a method that
  /// changes things. `path` is relative and percent-decoded.
  Response serve(const Request& request, std::string_view path) const;

 private:
  const Asset* find(std::string_view path) const;

  std::map<std::string_view, const Asset*> assets_;
};

/// True for `name-HASH.ext` and `name.HASH.ext`, where HASH is eight or more letters and digits
/// with at least one digit: the contents behind such a name never change.
bool hasContentHash(std::string_view path);

}  // namespace spindle::http
