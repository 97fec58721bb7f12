#include "http/message/compression.h"

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include <zlib.h>
#include <zstd.h>

#include "base/core/check.h"
#include "base/core/lookup.h"
#include "http/message/growth.h"
#include "http/message/message.h"

namespace spindle::http {
namespace {

constexpr std::size_t kPieceBytes = 32UL * 1024;
constexpr int kGzipWindow = MAX_WBITS + 16;  // selects the gzip format in zlib
constexpr int kRawWindow = -MAX_WBITS;
constexpr int kDeflateLevel = 5;
constexpr int kZstdLevel = 3;
constexpr int kZstdDecodeWindowLog = 23;  // RFC 9659: at most 8 MiB on the web
constexpr int kZstdEncodeWindowLog = 19;  // limits the memory of an open stream

constexpr auto kCodings = std::to_array<LookupEntry<Coding>>({{Coding::kIdentity, "identity"},
                                                              {Coding::kGzip, "gzip"},
                                                              {Coding::kDeflate, "deflate"},
                                                              {Coding::kZstd, "zstd"}});

Error corrupt(Coding coding) {
  return Error::invalidArgument("The body is not valid " + std::string(nameOf(coding)) + " data.");
}

Error truncated(Coding coding) {
  return Error::invalidArgument("The " + std::string(nameOf(coding)) + " data ends too early.");
}

Error tooLarge(std::size_t limit) {
  return {ErrorCode::kTooLarge,
          "The decoded body is larger than " + std::to_string(limit) + " bytes."};
}

/// Appends decoded bytes up to a limit. Always requests one byte more than fits, to distinguish a
/// body that is too large from one that ends exactly at the limit.
class LimitedOutput {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): piece_ is output
  LimitedOutput(std::string& out, std::size_t limit, const Decoder::Growth& growth)
      : out_(out), left_(limit > out.size() ? limit - out.size() : 0), growth_(growth) {}

  char* data() { return piece_.data(); }
  std::size_t room() const { return left_ < piece_.size() ? left_ + 1 : piece_.size(); }

  /// @return kTooLarge if the limit is exceeded, kUnavailable if the output may not grow.
  Result<void> take(std::size_t produced) {
    const std::size_t kept = std::min(produced, left_);
    if (!grow(out_.size() + kept)) {
      return Error::unavailable("There is no memory for the decoded body.");
    }
    out_.append(piece_.data(), kept);
    left_ -= kept;
    if (kept < produced) return tooLarge(out_.size());
    return {};
  }

 private:
  bool grow(std::size_t size) {
    if (size <= out_.capacity() || !growth_) return true;
    return growTo(out_, size, out_.size() + left_, growth_);
  }

  std::string& out_;
  std::size_t left_;
  const Decoder::Growth& growth_;
  std::array<char, kPieceBytes> piece_;
};

class IdentityDecoder final : public Decoder {
 public:
  Result<void> feed(std::string_view in, std::string& out, std::size_t limit) override {
    const std::size_t left = limit > out.size() ? limit - out.size() : 0;
    out.append(in.substr(0, left));
    if (in.size() > left) return tooLarge(limit);
    return {};
  }

  Result<void> finish() override { return {}; }
};

/// gzip and deflate.
class ZlibDecoder final : public Decoder {
 public:
  explicit ZlibDecoder(Coding coding) : coding_(coding) {}
  ~ZlibDecoder() override {
    if (started_) inflateEnd(&stream_);
  }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;

  Result<void> feed(std::string_view in, std::string& out, std::size_t limit) override {
    if (!started_) {
      // The first two bytes show whether deflate data has a zlib header.
      const std::size_t wanted = coding_ == Coding::kDeflate ? 2 : 0;
      while (head_.size() < wanted && !in.empty()) {
        head_.push_back(in.front());
        in.remove_prefix(1);
      }
      if (head_.size() < wanted) return {};
      start();
      TRY(inflateAll(head_, out, limit));
    }
    return inflateAll(in, out, limit);
  }

  Result<void> finish() override {
    if (!at_end_) return truncated(coding_);
    return {};
  }

 private:
  void start() {
    int window = kGzipWindow;
    if (coding_ == Coding::kDeflate) {
      const auto first = static_cast<unsigned char>(head_[0]);
      const auto second = static_cast<unsigned char>(head_[1]);
      const bool wrapped =
          (first & 0x0f) == Z_DEFLATED && (first >> 4) <= 7 && (first * 256 + second) % 31 == 0;
      window = wrapped ? MAX_WBITS : kRawWindow;
    }
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
    started_ = true;
  }

  Result<void> inflateAll(std::string_view in, std::string& out, std::size_t limit) {
    while (!in.empty()) {
      const std::string_view part = in.substr(0, std::numeric_limits<uInt>::max());
      in.remove_prefix(part.size());
      TRY(inflatePart(part, out, limit));
    }
    return {};
  }

  Result<void> inflatePart(std::string_view in, std::string& out, std::size_t limit) {
    LimitedOutput output(out, limit, growth());
    // zlib does not write through next_in; its C interface lacks the const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // NOLINT
    stream_.avail_in = static_cast<uInt>(in.size());
    bool output_full = false;
    while (stream_.avail_in > 0 || output_full) {
      if (at_end_) {
        if (coding_ != Coding::kGzip) return corrupt(coding_);
        inflateReset(&stream_);
        at_end_ = false;
      }
      const std::size_t room = output.room();
      stream_.next_out = reinterpret_cast<Bytef*>(output.data());
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      // Z_BUF_ERROR only means that no progress was possible.
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        return corrupt(coding_);
      }
      TRY(output.take(room - stream_.avail_out));
      at_end_ = status == Z_STREAM_END;
      output_full = !at_end_ && stream_.avail_out == 0;
    }
    return {};
  }

  const Coding coding_;
  z_stream stream_{};
  std::string head_;
  bool started_ = false;
  bool at_end_ = false;  // at the end of a gzip member, where the data may end
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdDecodeWindowLog);
  }

  Result<void> feed(std::string_view in, std::string& out, std::size_t limit) override {
    LimitedOutput output(out, limit, growth());
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    bool output_full = false;
    while (input.pos < input.size || output_full) {
      ZSTD_outBuffer piece{output.data(), output.room(), 0};
      const std::size_t status = ZSTD_decompressStream(context_.get(), &piece, &input);
      if (ZSTD_isError(status) != 0) return corrupt(Coding::kZstd);
      TRY(output.take(piece.pos));
      at_end_ = status == 0;
      output_full = !at_end_ && piece.pos == piece.size;
    }
    return {};
  }

  Result<void> finish() override {
    if (!at_end_) return truncated(Coding::kZstd);
    return {};
  }

 private:
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  bool at_end_ = false;  // at the end of a frame, where the data may end
};

class IdentityEncoder final : public Encoder {
 public:
  std::string feed(std::string_view in, bool /*flush*/) override { return std::string(in); }
  std::string finish() override { return {}; }
};

class ZlibEncoder final : public Encoder {
 public:
  explicit ZlibEncoder(Coding coding) {
    const int window = coding == Coding::kGzip ? kGzipWindow : MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream_, kDeflateLevel, Z_DEFLATED, window, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~ZlibEncoder() override { deflateEnd(&stream_); }
  ZlibEncoder(const ZlibEncoder&) = delete;
  ZlibEncoder& operator=(const ZlibEncoder&) = delete;

  std::string feed(std::string_view in, bool flush) override {
    std::string out;
    while (in.size() > std::numeric_limits<uInt>::max()) {
      run(in.substr(0, std::numeric_limits<uInt>::max()), Z_NO_FLUSH, out);
      in.remove_prefix(std::numeric_limits<uInt>::max());
    }
    run(in, flush ? Z_SYNC_FLUSH : Z_NO_FLUSH, out);
    return out;
  }

  std::string finish() override {
    std::string out;
    run({}, Z_FINISH, out);
    return out;
  }

 private:
  void run(std::string_view in, int flush, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // NOLINT
    stream_.avail_in = static_cast<uInt>(in.size());
    std::array<char, kPieceBytes> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): output
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int status = deflate(&stream_, flush);
      SPINDLE_ASSERT(status != Z_STREAM_ERROR, "the encoder was fed after its end");
      out.append(piece.data(), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class ZstdEncoder final : public Encoder {
 public:
  ZstdEncoder() : context_(ZSTD_createCCtx(), &ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kZstdEncodeWindowLog);
  }

  std::string feed(std::string_view in, bool flush) override {
    return run(in, flush ? ZSTD_e_flush : ZSTD_e_continue);
  }
  std::string finish() override { return run({}, ZSTD_e_end); }

 private:
  std::string run(std::string_view in, ZSTD_EndDirective mode) {
    std::string out;
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    std::array<char, kPieceBytes> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): output
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{piece.data(), piece.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &output, &input, mode);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // the only possible error of valid use
      out.append(piece.data(), output.pos);
    } while (mode == ZSTD_e_continue ? input.pos < input.size : left > 0);
    return out;
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

/// Returns a q-value (`0`, `1`, `0.123`, `1.000`) in thousandths.
std::optional<int> thousandthsOf(std::string_view q) {
  if (q.empty() || q.size() > 5 || (q[0] != '0' && q[0] != '1')) return std::nullopt;
  if (q.size() > 1 && q[1] != '.') return std::nullopt;
  int value = (q[0] - '0') * 1000;
  int weight = 100;
  for (const char digit : q.substr(std::min<std::size_t>(q.size(), 2))) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value += (digit - '0') * weight;
    weight /= 10;
  }
  if (value > 1000) return std::nullopt;
  return value;
}

struct Preference {
  std::string_view name;
  int q = 0;
};

/// Parses one element of Accept-Encoding. Returns nothing if its q-value is invalid.
std::optional<Preference> preferenceOf(std::string_view element) {
  const std::size_t semicolon = element.find(';');
  Preference preference{trimmed(element.substr(0, semicolon)), 1000};
  if (semicolon == std::string_view::npos) return preference;
  const std::string_view parameter = trimmed(element.substr(semicolon + 1));
  const std::size_t equals = parameter.find('=');
  if (equals == std::string_view::npos ||
      !equalIgnoringCase(trimmed(parameter.substr(0, equals)), "q")) {
    return std::nullopt;
  }
  const std::optional<int> q = thousandthsOf(trimmed(parameter.substr(equals + 1)));
  if (!q) return std::nullopt;
  preference.q = *q;
  return preference;
}

/// Returns the implementation of a Decoder or an Encoder for this coding.
template <class Coder, class Identity, class Zlib, class Zstd>
std::unique_ptr<Coder> makeFor(Coding coding) {
  switch (coding) {
    case Coding::kIdentity:
      return std::make_unique<Identity>();
    case Coding::kGzip:
    case Coding::kDeflate:
      return std::make_unique<Zlib>(coding);
    case Coding::kZstd:
      return std::make_unique<Zstd>();
  }
  SPINDLE_ASSERT(false, "a coding outside its enumeration");
}

/// The q-values of an Accept-Encoding field; 0: not acceptable or, for identity, not listed.
struct AcceptedCodings {
  int zstd = 0;
  int gzip = 0;
  int identity = 0;
};

AcceptedCodings acceptedCodings(std::string_view field) {
  std::optional<int> zstd;
  std::optional<int> gzip;
  std::optional<int> identity;
  int others = 0;
  while (!field.empty()) {
    const std::size_t comma = field.find(',');
    const std::optional<Preference> preference = preferenceOf(field.substr(0, comma));
    field.remove_prefix(comma == std::string_view::npos ? field.size() : comma + 1);
    if (!preference || preference->name.empty()) continue;
    if (preference->name == "*") {
      others = preference->q;
      continue;
    }
    const std::optional<Coding> coding = codingOf(preference->name);
    if (coding == Coding::kZstd) zstd = preference->q;
    if (coding == Coding::kGzip) gzip = preference->q;
    if (coding == Coding::kIdentity) identity = preference->q;
  }
  return {zstd.value_or(others), gzip.value_or(others), identity.value_or(0)};
}

}  // namespace

std::string_view nameOf(Coding coding) { return lookUp(kCodings, coding, ""); }

std::optional<Coding> codingOf(std::string_view content_encoding) {
  const std::string_view name = trimmed(content_encoding);
  if (name.empty()) return Coding::kIdentity;
  if (equalIgnoringCase(name, "x-gzip")) return Coding::kGzip;
  for (const auto& [coding, token] : kCodings) {
    if (equalIgnoringCase(name, token)) return coding;
  }
  return std::nullopt;
}

Coding chooseCoding(std::string_view accept_encoding) {
  const AcceptedCodings accepted = acceptedCodings(accept_encoding);
  const int best = std::max(accepted.zstd, accepted.gzip);
  if (best == 0 || accepted.identity > best) return Coding::kIdentity;
  return accepted.zstd == best ? Coding::kZstd : Coding::kGzip;
}

bool acceptsGzip(std::string_view accept_encoding) {
  return acceptedCodings(accept_encoding).gzip > 0;
}

std::unique_ptr<Decoder> Decoder::make(Coding coding) {
  return makeFor<Decoder, IdentityDecoder, ZlibDecoder, ZstdDecoder>(coding);
}

std::unique_ptr<Encoder> Encoder::make(Coding coding) {
  return makeFor<Encoder, IdentityEncoder, ZlibEncoder, ZstdEncoder>(coding);
}

}  // namespace spindle::http
