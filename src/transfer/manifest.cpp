#include "transfer/manifest.h"

#include <cstdio>
#include <utility>

#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::transfer {
namespace {

using schema::dateTime, schema::integer, schema::nullable, schema::Record, schema::string;

constexpr std::int64_t kVersion = 1;

/// The manifest in its file format.
struct ManifestFile {
  std::int64_t version = kVersion;
  std::string project;
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;
  Format format = Format::kJsonLines;
  std::vector<Part> parts;
  std::optional<Cursor> cursor;
  bool finished = false;
};

schema::Codec<ManifestFile> manifestCodec() {
  const schema::Codec<Part> part = Record<Part>("Part")
                                       .required("file", &Part::file, string())
                                       .required("calls", &Part::calls, integer({.ge = 0}))
                                       .required("bytes", &Part::bytes, integer({.ge = 0}))
                                       .required("sha256", &Part::sha256, string())
                                       .codec();
  const schema::Codec<Cursor> cursor = Record<Cursor>("Cursor")
                                           .required("started_at", &Cursor::started_at, dateTime())
                                           .required("id", &Cursor::id, string())
                                           .codec();
  const schema::Codec<Format> format =
      schema::enumeration<Format>({{"jsonl", Format::kJsonLines}, {"parquet", Format::kParquet}});
  return Record<ManifestFile>("Manifest")
      .required("version", &ManifestFile::version, integer())
      .required("project", &ManifestFile::project, string())
      .optional("from", &ManifestFile::from, nullable(dateTime()))
      .optional("to", &ManifestFile::to, nullable(dateTime()))
      .required("format", &ManifestFile::format, format)
      .required("parts", &ManifestFile::parts, schema::list(part))
      .optional("cursor", &ManifestFile::cursor, nullable(cursor))
      .required("finished", &ManifestFile::finished, schema::boolean())
      .codec();
}

}  // namespace

const char* fileExtension(Format format) {
  return format == Format::kParquet ? ".parquet" : ".jsonl";
}

std::int64_t Manifest::calls() const {
  std::int64_t calls = 0;
  for (const Part& part : parts) calls += part.calls;
  return calls;
}

std::string Manifest::nextPart() const {
  char number[32];
  std::snprintf(number, sizeof number, "calls-%06zu", parts.size() + 1);
  return std::string(number) + fileExtension(range.format);
}

Result<Manifest> readManifest(std::string text) {
  Result<ManifestFile> read = schema::parse(manifestCodec(), std::move(text), "manifest");
  if (!read) {
    const Violation& first = read.error().violations().front();
    std::string place;
    for (const LocStep& step : first.loc) {
      if (const auto* name = std::get_if<std::string>(&step)) place += " " + *name;
    }
    return Error::invalidArgument("is not a manifest of an export:" + place + ": " + first.msg);
  }
  if (read->version != kVersion) {
    return Error::invalidArgument("was written by a later version (" +
                                  std::to_string(read->version) + ")");
  }
  Manifest manifest;
  manifest.range = {std::move(read->project), read->from, read->to, read->format};
  manifest.parts = std::move(read->parts);
  manifest.cursor = std::move(read->cursor);
  manifest.finished = read->finished;
  return manifest;
}

std::string writeManifest(const Manifest& manifest) {
  const ExportRange& range = manifest.range;
  return manifestCodec().toJson({kVersion, range.project, range.from, range.to, range.format,
                                 manifest.parts, manifest.cursor, manifest.finished}) +
         "\n";
}

}  // namespace spindle::transfer
