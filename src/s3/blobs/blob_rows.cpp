#include "s3/blobs/blob_rows.h"

#include <algorithm>
#include <utility>

#include "storage/database/database.h"

namespace spindle::s3 {
namespace {

using storage::Row, storage::Rows, storage::Session, storage::StoredBlob;

constexpr std::size_t kEraserLength = 20;

std::string partStart(std::uint8_t first_byte) {
  return toHex(std::string_view(reinterpret_cast<const char*>(&first_byte), 1));
}

/// Returns a text after all names that start with this byte and before all others.
std::string partEnd(std::uint8_t first_byte) { return partStart(first_byte) + "g"; }

std::optional<int> digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

Sha256 nameAt(const Row& row) { return parseHexName(row.text("name")).value_or(Sha256{}); }

}  // namespace

std::optional<Sha256> parseHexName(std::string_view digits) {
  Sha256 name{};
  if (digits.size() != 2 * name.size()) return std::nullopt;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::optional<int> high = digitOf(digits[2 * i]);
    const std::optional<int> low = digitOf(digits[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    name[i] = static_cast<std::uint8_t>(*high * 16 + *low);
  }
  return name;
}

BlobRows::BlobRows(storage::Database& database, const Clock& clock)
    : database_(database), clock_(clock), eraser_(randomAlphanumeric(kEraserLength)) {}

Result<BlobRows::Reservation> BlobRows::reserve(const Sha256& name) {
  const std::string digits = toHex(name);
  const Timestamp now = clock_.now();
  const bool is_recent = TRY(database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT last_put_at, erasing_since FROM s3_blobs WHERE name = ?", {digits}));
    return row.has_value() && row->integer("erasing_since") == 0 &&
           row->time("last_put_at") > now - kRecent && row->time("last_put_at") <= now;
  }));
  if (is_recent) return Reservation::kKnown;
  return database_.write([&](Session& session) -> Result<Reservation> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT erasing_since FROM s3_blobs WHERE name = ?", {digits}));
    if (!row) {
      TRY(session.execute(
          "INSERT INTO s3_blobs (name, last_put_at, erasing_since, eraser) VALUES (?, ?, 0, '')",
          {digits, now}));
      return Reservation::kNew;
    }
    const Timestamp since = row->time("erasing_since");
    if (since != Timestamp{} && since > now - kTakeover) return Reservation::kErasing;
    TRY(session.execute(
        "UPDATE s3_blobs SET last_put_at = ?, erasing_since = 0, eraser = '' WHERE name = ?",
        {now, digits}));
    return Reservation::kKnown;
  });
}

Result<bool> BlobRows::markErasing(Session& session, const Sha256& name, Timestamp before) {
  const std::int64_t marked = TRY(session.execute(
      "UPDATE s3_blobs SET erasing_since = ?, eraser = ? WHERE name = ? AND erasing_since = 0 AND "
      "last_put_at < ?",
      {clock_.now(), eraser_, toHex(name), before}));
  return marked > 0;
}

Result<void> BlobRows::markErasing(const Sha256& name) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute(
        "INSERT INTO s3_blobs (name, last_put_at, erasing_since, eraser) VALUES (?, ?, ?, ?) ON "
        "CONFLICT (name) DO UPDATE SET erasing_since = excluded.erasing_since, eraser = "
        "excluded.eraser WHERE s3_blobs.erasing_since = 0",
        {toHex(name), now, now, eraser_}));
    return {};
  });
}

Result<std::vector<BlobRows::Erasure>> BlobRows::erasures(std::uint8_t first_byte) {
  const Timestamp now = clock_.now();
  const std::string from = partStart(first_byte);
  const std::string to = partEnd(first_byte);
  const Rows marked = TRY(database_.read([&](Session& session) {
    return session.query(
        "SELECT name, erasing_since, eraser FROM s3_blobs WHERE name >= ? AND name < ? AND "
        "erasing_since > 0",
        {from, to});
  }));
  std::vector<Erasure> erasures;
  for (const Row& row : marked) {
    const Timestamp since = row.time("erasing_since");
    if (row.text("eraser") == eraser_ && since > now - kErasingLimit) {
      erasures.push_back({nameAt(row), since});
      continue;
    }
    if (since > now - kTakeover) continue;
    const std::int64_t taken = TRY(database_.write([&](Session& session) {
      return session.execute(
          "UPDATE s3_blobs SET erasing_since = ?, eraser = ? WHERE name = ? AND erasing_since = ? "
          "AND eraser = ?",
          {now, eraser_, row.text("name"), since, row.text("eraser")});
    }));
    if (taken > 0) erasures.push_back({nameAt(row), now});
  }
  return erasures;
}

Result<void> BlobRows::forget(const Erasure& erasure) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM s3_blobs WHERE name = ? AND erasing_since = ? AND eraser = ?",
                        {toHex(erasure.name), erasure.since, eraser_}));
    return {};
  });
}

Result<std::vector<StoredBlob>> BlobRows::list(std::uint8_t first_byte) {
  return database_.read([&](Session& session) {
    return storage::collectRows(
        session.query("SELECT name, last_put_at FROM s3_blobs WHERE name >= ? AND name < ? AND "
                      "erasing_since = 0",
                      {partStart(first_byte), partEnd(first_byte)}),
        [](const Row& row) {
          return StoredBlob{nameAt(row), row.time("last_put_at")};
        });
  });
}

Result<std::string> BlobRows::owner() {
  return database_.write([&](Session& session) -> Result<std::string> {
    TRY(session.execute(
        "INSERT INTO s3_owner (id, token) VALUES (1, ?) ON CONFLICT (id) DO NOTHING", {eraser_}));
    const std::optional<Row> row = TRY(session.queryOne("SELECT token FROM s3_owner WHERE id = 1"));
    return row->text("token");
  });
}

Result<std::int64_t> BlobRows::adopt(const std::vector<Sha256>& names) {
  if (names.empty()) return std::int64_t{0};
  const auto [first, last] = std::minmax_element(names.begin(), names.end());
  // Most objects have a row: find the others without a write.
  const Rows known = TRY(database_.read([&](Session& session) {
    return session.query("SELECT name FROM s3_blobs WHERE name >= ? AND name <= ?",
                         {toHex(*first), toHex(*last)});
  }));
  std::vector<std::string> with_row;
  with_row.reserve(known.size());
  for (const Row& row : known) with_row.push_back(row.text("name"));
  std::sort(with_row.begin(), with_row.end());
  std::vector<std::string> without_row;
  for (const Sha256& name : names) {
    std::string digits = toHex(name);
    if (!std::binary_search(with_row.begin(), with_row.end(), digits)) {
      without_row.push_back(std::move(digits));
    }
  }
  if (without_row.empty()) return std::int64_t{0};
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<std::int64_t> {
    std::int64_t added = 0;
    for (const std::string& digits : without_row) {
      const std::int64_t inserted = TRY(session.execute(
          "INSERT INTO s3_blobs (name, last_put_at, erasing_since, eraser) VALUES (?, ?, 0, '') ON "
          "CONFLICT (name) DO NOTHING",
          {digits, now}));
      added += inserted;
    }
    return added;
  });
}

Result<bool> BlobRows::comparisonDue(std::uint8_t first_byte, std::chrono::hours interval) {
  const Timestamp now = clock_.now();
  return database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT compared_at FROM s3_parts WHERE part = ?", {first_byte}));
    return !row || row->time("compared_at") <= now - interval;
  });
}

Result<void> BlobRows::recordComparison(std::uint8_t first_byte) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    TRY(
        session.execute("INSERT INTO s3_parts (part, compared_at) VALUES (?, ?) ON CONFLICT (part) "
                        "DO UPDATE SET compared_at = excluded.compared_at",
                        {first_byte, now}));
    return {};
  });
}

}  // namespace spindle::s3
