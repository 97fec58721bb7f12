// The browsers in which the person is signed in.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type ListedSession, listSessions, revokeSession } from "../../api/sessions";
import { Section } from "../../app/page";
import { toast } from "../../app/toasts";
import { formatRelative } from "../../format/time";
import { Button } from "../../ui/button";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Table } from "../../ui/table";
import { browserName } from "./browser_name";

export function Sessions() {
  const sessions = usePages<ListedSession>({ key: ["sessions"], read: (cursor, signal) => listSessions({ cursor }, signal) });
  const [now] = useState(Date.now);
  const revoke = useMutation({
    change: (entry: ListedSession) => revokeSession(entry.id),
    invalidates: [["sessions"]],
    done: () => toast({ kind: "ok", text: "The session has ended." }),
  });
  return (
    <Section title="Sessions" lead="Where you are signed in. End the ones that you do not know, and change your password.">
      {sessions.error && (
        <ErrorNote title="The sessions could not be read" message={sessions.error.message} requestId={sessions.error.requestId}
          onRetry={sessions.refetch} retrying={sessions.refetching} />
      )}
      {revoke.error && <ErrorNote title="The session was not ended" message={revoke.error.message} requestId={revoke.error.requestId} />}
      {sessions.loading ? <Skeleton lines={2} /> : !sessions.error && (
        <Table
          label="Sessions"
          rows={sessions.items}
          rowKey={({ id }) => id}
          columns={[
            {
              key: "client",
              title: "Browser",
              wide: true,
              cell: ({ client, current }) => (
                <span title={client}>
                  <SafeText text={browserName(client)} line /> {current && <Badge tone="ok">this one</Badge>}
                </span>
              ),
            },
            { key: "address", title: "Address", cell: ({ address }) => <code><SafeText text={address} line /></code> },
            { key: "used", title: "Last used", cell: ({ last_used_at }) => formatRelative(last_used_at, now) },
            { key: "since", title: "Signed in", spare: true, cell: ({ created_at }) => formatRelative(created_at, now) },
            {
              key: "actions",
              title: "Actions",
              hideTitle: true,
              cell: (entry) =>
                !entry.current && (
                  <Button small kind="quiet" busy={revoke.pending} onClick={() => void revoke.run(entry).catch(() => undefined)}>End</Button>
                ),
            },
          ]}
        />
      )}
      {sessions.hasMore && <Button kind="quiet" busy={sessions.loadingMore} onClick={sessions.more}>Show more</Button>}
    </Section>
  );
}
