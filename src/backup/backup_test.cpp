#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "backup/data_layout.h"
#include "backup/families_for_test.h"
#include "backup/files.h"
#include "backup/point_check.h"
#include "backup/restore.h"
#include "backup/take_backup.h"
#include "columnar/store/store.h"
#include "columnar/testing/store_for_test.h"
#include "storage/blobs/blob_name.h"
#include "storage/blobs/folder_blob_store.h"
#include "storage/database/database.h"
#include "storage/folder/key_ring.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;
using storage::Session;

class PutNote final : public columnar::Change {
 public:
  explicit PutNote(std::string id) : id_(std::move(id)) {}
  std::vector<columnar::RowKey> wants() const override { return {}; }
  Result<void> plan(columnar::Plan& plan) override {
    plan.put(0, "project", {id_, timestampOfMicros(1)});
    return {};
  }

 private:
  std::string id_;
};

/// A small deployment: a database, a store and blobs, in one data folder.
class Deployment final : public DataFolderHold {
 public:
  explicit Deployment(const std::string& folder) : folder_(folder) {
    fs::create_directories(folder);
    const storage::DataFolder data(folder);
    storage::KeyRing ring = storage::KeyRing::load(data, Secret());
    storage::DatabaseOptions options;
    options.path = data.fileAt(kMetadataFile);
    database_ = storage::Database::open(options, metrics_);
    database_->migrate(
        {storage::storageSchema(),
         {"files", {{1, "files", "CREATE TABLE kept (id BIGINT PRIMARY KEY, blob TEXT);"}}}},
        Timestamp());
    ring.confirm(*database_);
    columnar::StoreOptions store;
    store.folder = data.fileAt(kTracesFolder);
    store_ = columnar::Store::open(store, noteFamilies(), metrics_);
    blobs_ = std::make_unique<storage::FolderBlobStore>(data.fileAt(kBlobsFolder));
  }

  void add(int number, const std::string& content) {
    const Result<Sha256> name = blobs_->put(content);
    ASSERT_TRUE(name);
    const Result<void> done = database_->write([&](Session& session) -> Result<void> {
      TRY(session.execute("INSERT INTO kept (id, blob) VALUES (?, ?)",
                          {std::int64_t{number}, storage::blobNameText(*name)}));
      return {};
    });
    ASSERT_TRUE(done);
    PutNote note("note" + std::to_string(number));
    ASSERT_TRUE(store_->write(note, 100));
  }

  std::int64_t rows() {
    return *database_->read([](Session& session) -> Result<std::int64_t> {
      const std::optional<storage::Row> row =
          TRY(session.queryOne("SELECT count(*) AS n FROM kept"));
      return row->integer("n");
    });
  }
  std::int64_t notes() {
    Result<columnar::Snapshot> snapshot = store_->snapshot();
    Result<columnar::Cursor> cursor =
        snapshot->query("SELECT count(*) FROM " + snapshot->from(0, "project") + " AS n");
    return *cursor->next() ? cursor->integer(0) : -1;
  }
  storage::FolderBlobStore& blobs() { return *blobs_; }

  void begin() override {
    Result<std::unique_ptr<columnar::StoreHold>> hold = store_->hold();
    if (!hold) throw std::runtime_error(hold.error().message());
    hold_ = *std::move(hold);
  }
  std::vector<columnar::HeldFile> mark() override { return *hold_->mark(); }
  void end() override {
    const Result<void> whole = hold_->check();
    hold_.reset();
    if (!whole || fails_at_end) throw std::runtime_error("not held all the time");
  }
  bool online() const override { return true; }

  bool fails_at_end = false;

 private:
  std::string folder_;
  MetricRegistry metrics_;
  std::unique_ptr<storage::Database> database_;
  std::unique_ptr<columnar::Store> store_;
  std::unique_ptr<storage::FolderBlobStore> blobs_;
  std::unique_ptr<columnar::StoreHold> hold_;
};

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() {
    deployment_ = std::make_unique<Deployment>(data_);
    for (int i = 0; i < 20; ++i) {
      deployment_->add(i, "content " + std::to_string(i) + std::string(10'000, 'x'));
    }
  }

  BackupOptions options() const {
    BackupOptions options;
    options.data_folder = data_;
    options.blob_columns = columns_;
    options.version = "test";
    options.settings = "# settings\n";
    options.now = now_;
    return options;
  }
  BackupOutcome backup() const {
    BackupFolder target(backups_, BackupFolder::Use::kWrite);
    return takeBackup(target, options(), *deployment_);
  }
  CheckReport verify() const {
    BackupFolder folder(backups_, BackupFolder::Use::kWrite);
    CheckReport report;
    std::set<Sha256> known;
    for (const std::string& point : folder.points()) {
      const Result<Manifest> manifest = folder.load(point);
      if (!manifest) {
        report.problems.push_back(manifest.error().message());
      } else {
        report.add(checkPoint(folder, *manifest, checks(), known));
      }
    }
    return report;
  }
  CheckOptions checks() const {
    CheckOptions options;
    options.blob_columns = columns_;
    return options;
  }
  RestoreOutcome restore(const std::string& to, bool replace = false, int back = 0) const {
    const BackupFolder source(backups_, BackupFolder::Use::kRead);
    const std::vector<std::string> points = source.points();
    RestoreOptions options;
    options.data_folder = to;
    options.replace = replace;
    options.check = checks();
    const Result<Manifest> manifest = source.load(points.at(points.size() - 1 - back));
    if (!manifest) throw std::runtime_error(manifest.error().message());
    return restorePoint(source, *manifest, options);
  }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) found.push_back(entry.path().string());
    }
    return found;
  }

  columnar::FolderForTest folder_;
  std::string data_ = folder_.path() + "/data";
  std::string backups_ = folder_.path() + "/backups";
  std::string restored_ = folder_.path() + "/restored";
  std::vector<storage::BlobColumn> columns_ = {{"kept", "blob"}};
  Timestamp now_ = timestampOfMicros(1'800'000'000'000'000);
  std::unique_ptr<Deployment> deployment_;
};

TEST_F(BackupTest, RestoresEverything) {
  const BackupOutcome outcome = backup();
  EXPECT_EQ(outcome.manifest.blobs, 20);
  EXPECT_EQ(verify().problems, std::vector<std::string>());
  EXPECT_EQ(restore(restored_).moved_to, "");
  EXPECT_FALSE(fs::exists(restored_ + ".restoring"));
  EXPECT_EQ(checkDataFolder(restored_, checks()).problems, std::vector<std::string>());
  Deployment again(restored_);
  EXPECT_EQ(again.rows(), 20);
  EXPECT_EQ(again.notes(), 20);
  EXPECT_TRUE(again.blobs().open(sha256("content 7" + std::string(10'000, 'x'))));
  EXPECT_EQ(readWhole(restored_ + "/secret-key", 100), readWhole(data_ + "/secret-key", 100));
  EXPECT_EQ(readWhole(restored_ + "/settings-of-backup.toml", 100), "# settings\n");
}

TEST_F(BackupTest, FoldersAndFilesArePrivate) {
  backup();
  restore(restored_);
  for (const std::string& folder : {backups_, restored_}) {
    EXPECT_EQ(fs::status(folder).permissions() & fs::perms::mask, fs::perms::owner_all);
    for (const std::string& file : files(folder)) {
      EXPECT_EQ(fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all),
                fs::perms::none)
          << file;
    }
  }
}

TEST_F(BackupTest, SecondBackupWritesOnlyChanges) {
  const BackupOutcome first = backup();
  EXPECT_GE(first.bytes_written, 200'000U);
  deployment_->add(100, "one more");
  const BackupOutcome second = backup();
  EXPECT_EQ(second.manifest.blobs, 21);
  EXPECT_EQ(second.bytes_written + second.bytes_reused,
            second.manifest.bytes() + second.manifest.blob_index.size);
  // No old blob is written again.
  EXPECT_LT(second.bytes_written, first.bytes_written - 150'000);
  const BackupOutcome third = backup();
  EXPECT_LT(third.bytes_written, 100'000U);
  EXPECT_EQ(verify().problems, std::vector<std::string>());
}

TEST_F(BackupTest, EachPointRestoresItsMoment) {
  backup();
  deployment_->add(100, "one more");
  backup();
  restore(restored_, false, 1);
  restore(restored_ + "2", false, 0);
  EXPECT_EQ(Deployment(restored_).rows(), 20);
  EXPECT_EQ(Deployment(restored_ + "2").rows(), 21);
  EXPECT_EQ(Deployment(restored_ + "2").notes(), 21);
}

TEST_F(BackupTest, LostHoldCreatesNoPoint) {
  deployment_->fails_at_end = true;
  EXPECT_THROW(backup(), std::runtime_error);
  EXPECT_EQ(BackupFolder(backups_, BackupFolder::Use::kRead).points(), std::vector<std::string>());
  deployment_->fails_at_end = false;
  // The next backup uses the objects that it copied.
  const BackupOutcome next = backup();
  EXPECT_LT(next.bytes_written, 100'000U);
  EXPECT_EQ(verify().problems, std::vector<std::string>());
}

TEST_F(BackupTest, LeftoversOfAnInterruptedBackupAreCheckedBeforeUse) {
  backup();
  const std::string leftover(300, 'l');
  std::ofstream(backups_ + "/incoming/" + toHex(sha256(leftover))) << "something else";
  std::ofstream(backups_ + "/incoming/half.part") << "half";
  backup();
  EXPECT_EQ(files(backups_ + "/incoming"), std::vector<std::string>());
  EXPECT_EQ(verify().problems, std::vector<std::string>());
}

TEST_F(BackupTest, OnlyOneProcessWritesToAFolder) {
  const BackupFolder first(backups_, BackupFolder::Use::kWrite);
  EXPECT_THROW(BackupFolder(backups_, BackupFolder::Use::kWrite), std::runtime_error);
}

TEST_F(BackupTest, RefusesFoldersThatAreNotBackups) {
  fs::create_directories(backups_);
  std::ofstream(backups_ + "/letter") << "dear";
  EXPECT_THROW(backup(), std::runtime_error);
  EXPECT_THROW(BackupFolder(data_, BackupFolder::Use::kRead), std::runtime_error);
}

TEST_F(BackupTest, EveryDamagedFileIsFoundAndRefused) {
  backup();
  const std::vector<std::string> all = files(backups_);
  ASSERT_GT(all.size(), 20U);
  for (const std::string& path : all) {
    if (path.ends_with("/lock")) continue;
    const std::string content = readWhole(path, 1UL << 30);
    const auto expect_found = [&](const char* how) {
      bool found = false;
      try {
        found = !verify().clean();
      } catch (const std::runtime_error&) {
        found = true;
      }
      EXPECT_TRUE(found) << path << " " << how;
      EXPECT_ANY_THROW(restore(restored_)) << path << " " << how;
      EXPECT_FALSE(fs::exists(restored_)) << path << " " << how;
    };
    if (!content.empty()) {
      std::string flipped = content;
      flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x10);
      std::ofstream(path, std::ios::binary) << flipped;
      expect_found("flipped");
      fs::resize_file(path, content.size() / 2);
      expect_found("cut");
    }
    fs::remove(path);
    if (!path.ends_with(".manifest")) expect_found("removed");
    std::ofstream(path, std::ios::binary) << content;
  }
  EXPECT_EQ(verify().problems, std::vector<std::string>());
  restore(restored_);
}

TEST_F(BackupTest, RestoreRefusesAFolderWithContent) {
  backup();
  fs::create_directories(restored_);
  std::ofstream(restored_ + "/precious") << "data";
  EXPECT_THROW(restore(restored_), std::runtime_error);
  EXPECT_EQ(readWhole(restored_ + "/precious", 10), "data");
  const RestoreOutcome outcome = restore(restored_, true);
  EXPECT_EQ(readWhole(outcome.moved_to + "/precious", 10), "data");
  EXPECT_EQ(Deployment(restored_).rows(), 20);
}

TEST_F(BackupTest, PointsSortInBackupOrder) {
  std::vector<std::string> taken;
  for (const int offset : {0, 0, -86'400, 3'600, 0}) {
    now_ = timestampOfMicros(1'800'000'000'000'000 + std::int64_t{1'000'000} * offset);
    taken.push_back(backup().manifest.point);
  }
  EXPECT_EQ(BackupFolder(backups_, BackupFolder::Use::kRead).points(), taken);
  BackupFolder(backups_, BackupFolder::Use::kWrite).prune(1);
  EXPECT_EQ(BackupFolder(backups_, BackupFolder::Use::kRead).points(),
            std::vector<std::string>{taken.back()});
}

TEST_F(BackupTest, PruningKeepsTheNewestPoints) {
  backup();
  deployment_->add(100, "one more");
  backup();
  deployment_->add(101, "and another");
  backup();
  BackupFolder::Pruned pruned;
  {
    BackupFolder folder(backups_, BackupFolder::Use::kWrite);
    pruned = folder.prune(1);
    EXPECT_EQ(folder.points().size(), 1U);
  }
  EXPECT_EQ(pruned.points, 2U);
  EXPECT_GT(pruned.objects, 0U);
  EXPECT_EQ(verify().problems, std::vector<std::string>());
  restore(restored_);
  EXPECT_EQ(Deployment(restored_).rows(), 22);
}

TEST_F(BackupTest, LostBlobDoesNotStopTheBackup) {
  const Sha256 lost = sha256("content 3" + std::string(10'000, 'x'));
  const std::string digits = toHex(lost);
  const std::string path = data_ + "/files/" + digits.substr(0, 2) + "/" + digits.substr(2);
  std::ofstream(path) << "other bytes";
  EXPECT_FALSE(checkDataFolder(data_, checks()).clean());
  const BackupOutcome outcome = backup();
  EXPECT_EQ(outcome.manifest.lost_blobs, std::vector<Sha256>{lost});
  EXPECT_EQ(outcome.manifest.blobs, 19);
  EXPECT_EQ(verify().problems, std::vector<std::string>());
  restore(restored_);
  EXPECT_EQ(Deployment(restored_).rows(), 20);
}

TEST_F(BackupTest, MissingBlobIsTakenFromAnEarlierPoint) {
  backup();
  const std::string digits = toHex(sha256("content 3" + std::string(10'000, 'x')));
  fs::remove(data_ + "/files/" + digits.substr(0, 2) + "/" + digits.substr(2));
  EXPECT_TRUE(backup().manifest.lost_blobs.empty());
  restore(restored_);
  EXPECT_TRUE(Deployment(restored_).blobs().open(sha256("content 3" + std::string(10'000, 'x'))));
}

TEST_F(BackupTest, SecretsCanBeExcluded) {
  BackupOptions without = options();
  without.secrets = false;
  {
    BackupFolder target(backups_, BackupFolder::Use::kWrite);
    takeBackup(target, without, *deployment_);
  }
  EXPECT_EQ(verify().problems, std::vector<std::string>());
  restore(restored_);
  EXPECT_FALSE(fs::exists(restored_ + "/secret-key"));
}

TEST_F(BackupTest, WrongSecretKeyIsDetected) {
  std::ofstream(data_ + "/secret-key") << toHex(sha256("another")) << "\n";
  const CheckReport report = checkDataFolder(data_, checks());
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_NE(report.problems.front().find("secret-key"), std::string::npos);
}

TEST_F(BackupTest, RecordsThatRowsInClickHouseAreNotCopied) {
  BackupOptions elsewhere = options();
  elsewhere.traces = false;
  BackupFolder target(backups_, BackupFolder::Use::kWrite);
  const BackupOutcome outcome = takeBackup(target, elsewhere, *deployment_);
  EXPECT_FALSE(outcome.manifest.traces_included);
  EXPECT_FALSE(target.load(outcome.manifest.point)->traces_included);
}

TEST_F(BackupTest, BlobsInABucketAreNotCopied) {
  fs::remove_all(data_ + "/files");
  CheckOptions check = checks();
  check.blobs = false;
  EXPECT_EQ(checkDataFolder(data_, check).problems, std::vector<std::string>());
  BackupOptions elsewhere = options();
  elsewhere.blobs = false;
  {
    BackupFolder target(backups_, BackupFolder::Use::kWrite);
    const BackupOutcome outcome = takeBackup(target, elsewhere, *deployment_);
    EXPECT_FALSE(outcome.manifest.blobs_included);
    EXPECT_EQ(outcome.manifest.blobs, 0);
    EXPECT_TRUE(outcome.manifest.lost_blobs.empty());
  }
  EXPECT_EQ(verify().problems, std::vector<std::string>());
  restore(restored_);
  EXPECT_EQ(Deployment(restored_).rows(), 20);
}

TEST_F(BackupTest, BackupWithoutMetadataCopiesAllBlobs) {
  BackupOptions elsewhere = options();
  elsewhere.metadata = false;
  BackupFolder target(backups_, BackupFolder::Use::kWrite);
  const BackupOutcome outcome = takeBackup(target, elsewhere, *deployment_);
  EXPECT_EQ(outcome.manifest.blobs, 20);
  EXPECT_EQ(outcome.manifest.find(kMetadataFile), nullptr);
}

}  // namespace
}  // namespace spindle::backup
