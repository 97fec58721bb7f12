#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"

namespace spindle::backup {

/// Size of one chunk of a file: a DuckDB block. The last chunk, and the first one of a file with a
/// header, are shorter.
inline constexpr std::size_t kChunkBytes = 256UL << 10;
/// Chunks of the SQLite file are smaller, because its changes are scattered over the pages.
inline constexpr std::size_t kPageChunkBytes = 64UL << 10;

/// The content of a file as a sequence of objects.
struct ChunkedFile {
  std::string path;  ///< relative to the data folder
  std::uint64_t size = 0;
  std::uint64_t first = 0;  ///< size of the first chunk; 0 if it is like the others
  std::uint64_t chunk = kChunkBytes;
  std::vector<Sha256> chunks;

  /// Returns the size of chunk `index`.
  std::uint64_t chunkSize(std::size_t index) const;
  /// Returns the number of chunks that the sizes require.
  std::size_t chunkCount() const;
};

/// A blob of the data folder. Its digest is its name and the name of its object.
struct BackedUpBlob {
  Sha256 digest{};
  std::uint64_t size = 0;
};

/// Description of one backup point.
struct Manifest {
  static constexpr std::int64_t kFormat = 1;

  std::string product = "spindle";
  std::int64_t format = kFormat;
  std::string point;    ///< name of the point, `000007-20261231T120000Z`
  std::string version;  ///< of the program that took the backup
  Timestamp created_at;
  bool online = false;          ///< taken while a server was running
  bool metadata = true;         ///< false if the metadata is in PostgreSQL and not in the backup
  bool secrets = true;          ///< false if `secret-key` and `admin-api-key` were excluded
  bool traces_included = true;  ///< false if they are in ClickHouse and not in the backup
  bool blobs_included = true;   ///< false if the blobs are in an S3 bucket and not in the backup
  bool all_blobs = false;       ///< all blobs of the folder, not only those that metadata refers to
  std::vector<ChunkedFile> files;
  ChunkedFile blob_index;  ///< text of blobIndexText(), as objects
  std::int64_t blobs = 0;
  std::uint64_t blob_bytes = 0;
  /// Blobs that metadata refers to but that were missing or damaged in the data folder.
  std::vector<Sha256> lost_blobs;

  const ChunkedFile* find(std::string_view path) const;
  std::uint64_t bytes() const;  ///< of all files and blobs
};

/// Returns the manifest as JSON, followed by its SHA-256.
std::string manifestText(const Manifest& manifest);
/// Parses a manifest. @return kInvalidArgument when the text is damaged, has a newer format, or
/// names a path outside the data folder.
Result<Manifest> parseManifest(std::string_view text);

/// Returns a text with a line `digest size` for each blob.
std::string blobIndexText(const std::vector<BackedUpBlob>& blobs);
Result<std::vector<BackedUpBlob>> parseBlobIndex(std::string_view text);

/// Returns true for a relative path of plain names, without `.` and `..`.
bool isPlainPath(std::string_view path);

}  // namespace spindle::backup
