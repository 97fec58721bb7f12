#include "storage/testing/postgres_for_test.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spindle::storage {
namespace {

constexpr const char* kBin = "/usr/lib/postgresql/15/bin/";

std::string makeFolder() {
  std::string path = "/tmp/spindle-test-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot create a folder in /tmp");
  return path;
}

/// Switches to the user `postgres`, because PostgreSQL does not run as root.
const passwd* postgresUser() {
  if (::geteuid() != 0) return nullptr;
  const passwd* user = ::getpwnam("postgres");  // NOLINT(concurrency-mt-unsafe): before any thread
  if (user == nullptr) throw std::runtime_error("there is no user postgres to run PostgreSQL as");
  return user;
}

pid_t spawn(std::vector<std::string> command, const std::string& log) {
  const passwd* user = postgresUser();
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  if (user != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 ||
                          ::setuid(user->pw_uid) != 0)) {
    ::_exit(126);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that crashes leaves no server behind
  if (::getppid() != parent) ::_exit(126);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

int waitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void runSql(const std::string& connection, const std::string& sql) {
  PGconn* db = PQconnectdb(connection.c_str());
  PGresult* result = PQexec(db, sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  const std::string why = PQerrorMessage(db);
  PQclear(result);
  PQfinish(db);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) throw std::runtime_error(why);
}

}  // namespace

PostgresForTest& PostgresForTest::instance() {
  static PostgresForTest server;
  return server;
}

PostgresForTest::PostgresForTest() : folder_(makeFolder()) {
  const std::string bin(kBin);
  if (::access((bin + "postgres").c_str(), X_OK) != 0) {
    throw std::runtime_error(bin + "postgres is missing: install the package postgresql-15");
  }
  if (const passwd* user = postgresUser()) {
    if (::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0) {
      throw std::runtime_error("cannot give " + folder_ + " to the user postgres");
    }
  }
  const std::string data = folder_ + "/data";
  const std::string log = folder_ + "/log";
  // English collation, to detect queries that depend on the database's own collation.
  if (waitFor(spawn({bin + "initdb", "-D", data, "-U", "spindle", "-A", "trust", "-N", "-E", "UTF8",
                     "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en"},
                    log)) != 0) {
    throw std::runtime_error("initdb failed, see " + log);
  }
  server_pid_ = spawn({bin + "postgres", "-D", data, "-k", folder_, "-c", "listen_addresses=", "-c",
                       "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=60", "-c",
                       "autovacuum=off", "-c", "shared_buffers=16MB"},
                      log);
  waitUntilReady();
}

void PostgresForTest::waitUntilReady() const {
  const std::string probe = connectionText();
  for (int i = 0; PQping(probe.c_str()) != PQPING_OK; ++i) {
    if (i > 600 || ::waitpid(server_pid_, nullptr, WNOHANG) != 0) {
      throw std::runtime_error("PostgreSQL does not start, see " + folder_ + "/log");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

PostgresForTest::~PostgresForTest() {
  ::kill(server_pid_, SIGQUIT);
  waitFor(server_pid_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresForTest::connectionText() const {
  return "host=" + folder_ + " user=spindle dbname=postgres";
}

Secret PostgresForTest::createDatabase() {
  const std::string name = "test" + std::to_string(next_database_++);
  runSql(connectionText(), "CREATE SCHEMA " + name);
  return Secret(connectionText() + " options='-c search_path=" + name + "'");
}

void PostgresForTest::closeAllConnections() {
  runSql(connectionText(),
         "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
         "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
}

void PostgresForTest::crash() {
  PGconn* victim = PQconnectdb(connectionText().c_str());
  PGconn* witness = PQconnectdb(connectionText().c_str());
  const int process = PQbackendPID(victim);
  if (process <= 0 || PQstatus(witness) != CONNECTION_OK || ::kill(process, SIGKILL) != 0)
    throw std::runtime_error("cannot kill a process of PostgreSQL");
  // The server ends other connections when it has noticed. Until then it accepts new ones.
  while (PQconsumeInput(witness) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  PQfinish(victim);
  PQfinish(witness);
  waitUntilReady();
}

DatabaseForTest::DatabaseForTest(Engine engine) {
  options_.engine = engine;
  options_.change_window = std::chrono::microseconds(0);  // tests do not wait for the window
  if (engine == Engine::kPostgres) {
    options_.connection = PostgresForTest::instance().createDatabase();
  } else {
    options_.path = folder_.emplace().path() + "/spindle.db";
  }
  database_ = Database::open(options_, metrics_);
}

std::unique_ptr<Database> DatabaseForTest::openAgain() {
  return Database::open(options_, metrics_);
}

}  // namespace spindle::storage
