#include "app/server/backup_api.h"

#include <string>
#include <utility>
#include <vector>

#include "backup/backup_holds.h"
#include "http/router/endpoint.h"
#include "http/router/router.h"
#include "identity/access/access.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using schema::integer;
using schema::list;
using schema::string;

constexpr std::string_view kTag = "system";

struct HoldView {
  std::string id;
  std::int64_t lease_seconds = backup::BackupHolds::kLease.count();
};

struct FileView {
  std::string name;
  std::int64_t bytes = 0;
};

struct MarkView {
  std::vector<FileView> files;
};

struct HoldPath {
  std::string id;
};

schema::Codec<HoldView> holdCodec() {
  return schema::Record<HoldView>("BackupHold")
      .required("id", &HoldView::id, string(), "Id of the hold, used in the other requests.")
      .required("lease_seconds", &HoldView::lease_seconds, integer(),
                "Time after which the hold ends unless it is renewed.")
      .codec();
}

schema::Codec<MarkView> markCodec() {
  return schema::Record<MarkView>("BackupMark")
      .required("files", &MarkView::files,
                list(schema::Record<FileView>("BackupFile")
                         .required("name", &FileView::name, string(),
                                   "Relative to the folder `traces` of the data folder.")
                         .required("bytes", &FileView::bytes, integer(),
                                   "Number of bytes to copy, from the beginning of the file.")
                         .codec()),
                "Files of the trace store. A copy that is made during the hold contains all writes "
                "that were acknowledged before this request.")
      .codec();
}

http::Parameters<HoldPath> holdPath() {
  return http::Parameters<HoldPath>().path("id", &HoldPath::id, string(), "Id of the hold.");
}

Result<void> requireAdmin(identity::Access& access, const Context& context) {
  if (TRY(access.isOrganizationAdmin(context.caller().user_id))) return {};
  return Error::denied("Only an organization admin may take backups.");
}

/// Returns kNotFound for other users, so that they cannot discover holds.
Result<void> requireAdminOfHold(identity::Access& access, const Context& context) {
  if (TRY(access.isOrganizationAdmin(context.caller().user_id))) return {};
  return backup::BackupHolds::noSuchHold();
}

}  // namespace

void addBackupRoutes(http::Router& router,
                     backup::BackupHolds& holds,
                     identity::Access& access,
                     const http::RoutePolicy& policy) {
  router.add(Endpoint<Nothing, Nothing, HoldView>{
      .method = Method::kPost,
      .path = "/api/v1/backup/holds",
      .operation_id = "beginBackupHold",
      .summary = "Hold the data folder for a backup",
      .description = "Flushes the trace store. Until the hold ends, all files of the data folder "
                     "can be copied while the server processes requests. `spindle backup` uses "
                     "this endpoint. One hold at a time; organization admins only.",
      .tag = kTag,
      .success_status = 201,
      .policy = policy,
      .reply = holdCodec(),
      .handler = [&holds, &access](const Context& context, const Nothing&,
                                   Nothing) -> Result<Reply<HoldView>> {
        TRY(requireAdmin(access, context));
        std::string id = TRY(holds.begin());
        HoldView view;
        view.id = std::move(id);
        return Reply(std::move(view));
      },
  });
  router.add(Endpoint<HoldPath, Nothing, MarkView>{
      .method = Method::kPost,
      .path = "/api/v1/backup/holds/{id}/mark",
      .operation_id = "markBackupHold",
      .summary = "List the files of the trace store at this moment",
      .tag = kTag,
      .policy = policy,
      .params = holdPath(),
      .reply = markCodec(),
      .handler = [&holds, &access](const Context& context, const HoldPath& path,
                                   Nothing) -> Result<Reply<MarkView>> {
        TRY(requireAdminOfHold(access, context));
        const std::vector<columnar::HeldFile> files = TRY(holds.mark(path.id));
        MarkView view;
        for (const columnar::HeldFile& file : files) {
          view.files.push_back({file.name, static_cast<std::int64_t>(file.bytes)});
        }
        return Reply(std::move(view));
      },
  });
  router.add(Endpoint<HoldPath, Nothing, HoldView>{
      .method = Method::kPost,
      .path = "/api/v1/backup/holds/{id}/renew",
      .operation_id = "renewBackupHold",
      .summary = "Extend the lease of a hold",
      .tag = kTag,
      .policy = policy,
      .params = holdPath(),
      .reply = holdCodec(),
      .handler = [&holds, &access](const Context& context, const HoldPath& path,
                                   Nothing) -> Result<Reply<HoldView>> {
        TRY(requireAdminOfHold(access, context));
        TRY(holds.renew(path.id));
        HoldView view;
        view.id = path.id;
        return Reply(std::move(view));
      },
  });
  router.add(Endpoint<HoldPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/api/v1/backup/holds/{id}",
      .operation_id = "endBackupHold",
      .summary = "End a hold",
      .description =
          "Returns 204 if the hold was active all the time; the copy is then consistent.",
      .tag = kTag,
      .success_status = 204,
      .policy = policy,
      .params = holdPath(),
      .handler = [&holds, &access](const Context& context, const HoldPath& path,
                                   Nothing) -> Result<Reply<Nothing>> {
        TRY(requireAdminOfHold(access, context));
        TRY(holds.end(path.id));
        return Reply(Nothing{});
      },
  });
}

}  // namespace spindle::app
