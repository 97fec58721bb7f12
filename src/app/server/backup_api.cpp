#include "app/server/backup_api.h"

#include <string>
#include <utility>
#include <vector>

#include "backup/backup_holds.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using http::Context;
using schema::integer, schema::list, schema::string;

struct HoldPath {
  std::string id;
};
struct HoldView : HoldPath {
  std::int64_t lease_seconds = backup::BackupHolds::kLease.count();
};
struct FileView {
  std::string name;
  std::int64_t bytes = 0;
};
struct MarkView {
  std::vector<FileView> files;
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

/// Returns `refusal` unless the caller is an organization admin.
Result<void> requireAdmin(identity::Access& access, const Context& context, Error refusal) {
  if (TRY(access.isOrganizationAdmin(context.caller().user_id))) return {};
  return refusal;
}

/// Returns kNotFound for other users, so that they cannot discover holds.
Result<void> requireAdminOfHold(identity::Access& access, const Context& context) {
  return requireAdmin(access, context, backup::BackupHolds::noSuchHold());
}

}  // namespace

void addBackupRoutes(http::Router& router,
                     backup::BackupHolds& holds,
                     identity::Access& access,
                     const http::RoutePolicy& policy) {
  http::RouteGroup routes(router, policy, "system");
  routes.post("/api/v1/backup/holds",
              {"beginBackupHold", "Hold the data folder for a backup",
               "Flushes the trace store. Until the hold ends, all files of the data folder "
               "can be copied while the server processes requests. `spindle backup` uses "
               "this endpoint. One hold at a time; organization admins only."},
              {.reply = holdCodec(), .status = 201},
              [&holds, &access](const Context& context) -> Result<HoldView> {
                TRY(requireAdmin(access, context,
                                 Error::denied("Only an organization admin may take backups.")));
                std::string id = TRY(holds.begin());
                return HoldView{{std::move(id)}};
              });
  routes.post("/api/v1/backup/holds/{id}/mark",
              {"markBackupHold", "List the files of the trace store at this moment"},
              {.params = holdPath(), .reply = markCodec()},
              [&holds, &access](const Context& context, const HoldPath& path) -> Result<MarkView> {
                TRY(requireAdminOfHold(access, context));
                const std::vector<columnar::HeldFile> files = TRY(holds.mark(path.id));
                MarkView view;
                for (const columnar::HeldFile& file : files) {
                  view.files.push_back({file.name, static_cast<std::int64_t>(file.bytes)});
                }
                return view;
              });
  routes.post("/api/v1/backup/holds/{id}/renew", {"renewBackupHold", "Extend the lease of a hold"},
              {.params = holdPath(), .reply = holdCodec()},
              [&holds, &access](const Context& context, const HoldPath& path) -> Result<HoldView> {
                TRY(requireAdminOfHold(access, context));
                TRY(holds.renew(path.id));
                return HoldView{path};
              });
  routes.remove("/api/v1/backup/holds/{id}",
                {"endBackupHold", "End a hold",
                 "Returns 204 if the hold was active all the time; the copy is then consistent."},
                {.params = holdPath()},
                [&holds, &access](const Context& context, const HoldPath& path) -> Result<void> {
                  TRY(requireAdminOfHold(access, context));
                  return holds.end(path.id);
                });
}

}  // namespace spindle::app
