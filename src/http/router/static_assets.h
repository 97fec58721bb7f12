#pragma once

#include <map>
#include <span>
#include <string_view>

#include "http/message/message.h"

namespace spindle::http {

/// A file that is embedded in the program (see cmake/embed_assets.cmake). All views are static.
struct Asset {
  std::string_view path;  ///< relative to its folder: `index.html`, `assets/app-1a2b3c4d.js`
  std::string_view media_type;
  std::string_view etag;  ///< strong, with quotes; derived from the content
  std::string_view bytes;
  std::string_view gzip = {};  ///< the same, compressed; empty if it was not compressed
};

/// Serves embedded files. Immutable and thread-safe.
///
/// Every response has an ETag; conditional requests are supported. Files that the build compressed
/// are sent compressed to clients that accept gzip. Files with a content hash in
/// their name may be cached forever; all others must be revalidated. Pages may only load from their
/// own origin and cannot be framed.
class StaticAssets {
 public:
  /// `assets` must outlive this object.
  explicit StaticAssets(std::span<const Asset> assets);

  bool has(std::string_view path) const { return find(path) != nullptr; }

  /// Returns 200 or 304; 404 without a body for an unknown path; 405 for methods other than GET and
  /// HEAD. `path` is relative and percent-decoded.
  Response serve(const Request& request, std::string_view path) const;

 private:
  const Asset* find(std::string_view path) const;

  std::map<std::string_view, const Asset*> assets_;
};

/// Returns true if an If-None-Match field names the tag, by weak comparison (RFC 9110, 13.1.2).
bool matchesETag(std::string_view if_none_match, std::string_view etag);

/// Returns true for `name-HASH.ext` and `name.HASH.ext`, where HASH has eight or more letters and
/// digits with at least one digit. The content of such a name never changes.
bool hasContentHash(std::string_view path);

}  // namespace spindle::http
