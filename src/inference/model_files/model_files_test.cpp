#include "inference/model_files/model_files.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

#include <gtest/gtest.h>

#include "inference/catalogue/model_for_test.h"
#include "inference/model_files/model_file.h"
#include "storage/blobs/blob_name.h"
#include "storage/blobs/folder_blob_store.h"
#include "weights/formats/gguf_writer.h"

namespace spindle::inference {
namespace {

namespace fs = std::filesystem;

/// A blob store whose next reads fail.
class UnreliableStore final : public storage::BlobStore {
 public:
  explicit UnreliableStore(storage::BlobStore& store) : store_(store) {}

  Result<Sha256> put(std::string_view bytes) override { return store_.put(bytes); }
  Result<std::unique_ptr<storage::BlobWriter>> write() override { return store_.write(); }
  Result<std::unique_ptr<storage::BlobReader>> open(const Sha256& name) override {
    ++opened;
    if (fails) return Error::unavailable("The file store does not respond.");
    return store_.open(name);
  }
  Result<std::uint64_t> size(const Sha256& name) override { return store_.size(name); }
  Result<void> erase(const Sha256& name) override { return store_.erase(name); }
  Result<std::vector<storage::StoredBlob>> list(std::uint8_t first_byte) override {
    return store_.list(first_byte);
  }
  Result<bool> eraseIfOlder(storage::Session& transaction,
                            const Sha256& name,
                            Timestamp before) override {
    return store_.eraseIfOlder(transaction, name, before);
  }
  Result<void> finishErasing(std::uint8_t first_byte) override {
    return store_.finishErasing(first_byte);
  }

  std::atomic<bool> fails{false};
  std::atomic<int> opened{0};

 private:
  storage::BlobStore& store_;
};

class Files : public testing::Test {
 protected:
  /// Returns a model file whose tensor contains `value` often.
  std::string modelFile(float value = 1) {
    weights::GgufWriter writer;
    writer.addText("general.architecture", "llama");
    writer.addText("general.name", "tiny");
    writer.addTensor({"token_embd.weight", {64, 32}, weights::TensorType::kF32},
                     [value](const weights::ByteSink& sink) -> Result<void> {
                       const std::vector<float> numbers(64UL * 32, value);
                       return sink({reinterpret_cast<const char*>(numbers.data()),
                                    numbers.size() * sizeof(float)});
                     });
    const std::string path = folder_.at("written.gguf");
    EXPECT_TRUE(writer.writeTo(path));
    return contentOf(path);
  }
  static std::string contentOf(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  Result<StoredModelFile> receive(const std::string& bytes,
                                  const ExpectedModelFile& expected = {}) {
    const std::unique_ptr<ModelFileReceiver> receiver = *files_.receive(expected);
    for (std::size_t at = 0; at < bytes.size(); at += 1000) {
      TRY(receiver->add(std::string_view(bytes).substr(at, 1000)));
    }
    return receiver->finish();
  }
  std::string reasonOf(const std::string& bytes, const ExpectedModelFile& expected = {}) {
    const Result<StoredModelFile> file = receive(bytes, expected);
    if (file) return "accepted";
    EXPECT_TRUE(fs::is_empty(folder_.at("headers"))) << "a temporary file is left";
    return file.error().reason().empty() ? file.error().message() : file.error().reason();
  }
  Result<LocalFile> fetch(const StoredModelFile& file) {
    std::promise<Result<LocalFile>> fetched;
    files_.fetch(file, [&](Result<LocalFile> result) { fetched.set_value(std::move(result)); });
    return fetched.get_future().get();
  }
  std::size_t storedBlobs() {
    std::size_t count = 0;
    for (int part = 0; part < 256; ++part) {
      count += folder_store_.list(static_cast<std::uint8_t>(part))->size();
    }
    return count;
  }

  TestFolder folder_;
  storage::FolderBlobStore folder_store_{folder_.at("blobs")};
  UnreliableStore store_{folder_store_};
  ModelFiles files_{store_,
                    {.folder = folder_.at("models"),
                     .header_folder = folder_.at("headers"),
                     .most = 20'000,
                     .most_received = 30'000,
                     .pause = std::chrono::hours(1)}};
};

TEST_F(Files, AreReceivedAndFetched) {
  const std::string bytes = modelFile();
  const Result<StoredModelFile> file =
      receive(bytes, {.digest = sha256(bytes), .bytes = bytes.size()});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->blob, storage::blobNameText(sha256(bytes)));
  EXPECT_EQ(file->bytes, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(file->header_bytes, static_cast<std::int64_t>(bytes.size() - 64UL * 32 * 4));
  EXPECT_EQ(files_.find(*file), nullptr);

  const Result<LocalFile> local = fetch(*file);
  ASSERT_TRUE(local) << local.error().message();
  EXPECT_EQ(contentOf((*local)->path), bytes);
  EXPECT_TRUE((*local)->path.ends_with(toHex(sha256(bytes)) + ".gguf"));
  EXPECT_EQ(files_.find(*file), *local);
}

TEST_F(Files, ThatAreNoModelsAreNotStored) {
  const std::string bytes = modelFile();
  EXPECT_EQ(reasonOf(""), "not_a_model_file");
  EXPECT_EQ(reasonOf("GGU"), "not_a_model_file");
  EXPECT_EQ(reasonOf("{\"json\": true}"), "not_a_model_file");
  EXPECT_EQ(reasonOf("GGUF and then something else"), "not_a_model_file");
  EXPECT_EQ(reasonOf(bytes.substr(0, bytes.size() - 1)), "not_a_model_file");
  EXPECT_EQ(reasonOf(bytes.substr(0, 60)), "not_a_model_file");
  EXPECT_EQ(storedBlobs(), 0U);
}

TEST_F(Files, ThatDifferFromTheRequestAreNotStored) {
  const std::string bytes = modelFile();
  EXPECT_EQ(reasonOf(bytes, {.digest = sha256("another file")}), "sha256_mismatch");
  EXPECT_EQ(reasonOf(bytes, {.bytes = bytes.size() + 1}), "size_mismatch");
  EXPECT_EQ(reasonOf(bytes + std::string(30'000, 'x')),
            "The model file is larger than 30000 bytes (inference.model_file_limit).");
  EXPECT_EQ(storedBlobs(), 0U);
}

TEST_F(Files, HaveHeadersInTheirPlace) {
  const std::string bytes = modelFile(7);
  Model model;
  model.stored = *receive(bytes);
  const Result<LocalFile> header = files_.headerOf(model);
  ASSERT_TRUE(header) << header.error().message();
  EXPECT_EQ(fs::file_size((*header)->path), bytes.size());
  const Result<weights::GgufFile> file = openModelFile((*header)->path);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->text("general.name"), "tiny");
  ASSERT_EQ(file->tensors().size(), 1U);
  EXPECT_EQ(file->tensors()[0].data, std::string(64UL * 32 * 4, '\0')) << "the tensor is a hole";
  EXPECT_EQ(files_.find(model.stored), nullptr) << "the whole file was not fetched";
}

TEST_F(Files, OnThisMachineAreTheirOwnHeaders) {
  Model model;
  EXPECT_EQ(files_.headerOf(model).error().code(), ErrorCode::kInvalidArgument);
  model.file = "/models/tiny.gguf";
  EXPECT_EQ((*files_.headerOf(model))->path, "/models/tiny.gguf");
}

TEST_F(Files, AreEvictedWhenNobodyUsesThem) {
  StoredModelFile first = *receive(modelFile(1));
  StoredModelFile second = *receive(modelFile(2));
  StoredModelFile third = *receive(modelFile(3));
  ASSERT_TRUE(fetch(first));
  const LocalFile held = *fetch(second);
  const LocalFile also = *fetch(third);
  EXPECT_EQ(files_.find(first), nullptr) << "only two files fit";
  EXPECT_NE(files_.find(second), nullptr);

  const Result<LocalFile> refused = fetch(first);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().reason(), "model_cache_full");
  EXPECT_TRUE(fs::exists(held->path) && fs::exists(also->path));
}

TEST_F(Files, LargerThanTheCacheAreNotFetched) {
  const std::string bytes = modelFile();
  StoredModelFile file = *receive(bytes);
  ModelFiles small(
      store_,
      {.folder = folder_.at("small"), .header_folder = folder_.at("small-headers"), .most = 1000});
  std::promise<Result<LocalFile>> fetched;
  small.fetch(file, [&](Result<LocalFile> result) { fetched.set_value(std::move(result)); });
  const Result<LocalFile> refused = fetched.get_future().get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), "model_cache_too_small");
}

TEST_F(Files, AreNotFetchedAgainAtOnceAfterAFailure) {
  const StoredModelFile file = *receive(modelFile());
  store_.fails = true;
  EXPECT_EQ(fetch(file).error().message(),
            "The file of the model cannot be fetched at the moment, try again later.");
  store_.fails = false;
  EXPECT_FALSE(fetch(file));
  EXPECT_EQ(store_.opened, 1);
  EXPECT_EQ(files_.find(file), nullptr);
}

TEST_F(Files, ThatAreDamagedInTheStoreAreRefused) {
  const std::string bytes = modelFile();
  const StoredModelFile file = *receive(bytes);
  const std::string digits = toHex(sha256(bytes));
  const std::string blob = folder_.at("blobs/" + digits.substr(0, 2) + "/" + digits.substr(2));
  fs::permissions(blob, fs::perms::owner_all);
  {
    std::fstream damage(blob, std::ios::in | std::ios::out | std::ios::binary);
    damage.seekp(-1, std::ios::end);
    damage.put('x');
  }
  storage::FolderBlobStore restarted(folder_.at("blobs"));
  ModelFiles files(restarted, {.folder = folder_.at("other"),
                               .header_folder = folder_.at("other-headers"),
                               .most = 20'000});
  std::promise<Result<LocalFile>> fetched;
  files.fetch(file, [&](Result<LocalFile> result) { fetched.set_value(std::move(result)); });
  EXPECT_FALSE(fetched.get_future().get());
  EXPECT_TRUE(fs::is_empty(folder_.at("other")));
}

TEST_F(Files, AreNotFetchedAfterTheStop) {
  const StoredModelFile file = *receive(modelFile());
  files_.stop();
  EXPECT_EQ(fetch(file).error().message(), "The server is stopping, try again later.");
}

TEST_F(Files, OfAnEarlierServerAreFound) {
  const StoredModelFile file = *receive(modelFile());
  ASSERT_TRUE(fetch(file));
  ModelFiles later(
      store_,
      {.folder = folder_.at("models"), .header_folder = folder_.at("headers"), .most = 20'000});
  EXPECT_NE(later.find(file), nullptr);
}

}  // namespace
}  // namespace spindle::inference
