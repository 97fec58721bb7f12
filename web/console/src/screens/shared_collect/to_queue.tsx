// Puts calls into an annotation queue.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { addQueueItems, listQueues } from "../../api/queues";
import { href, navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Select } from "../../ui/inputs";

export function ToQueueDialog({ project, callIds, onClose }: { project: string; callIds: string[]; onClose: () => void }) {
  const queues = useQuery({ key: ["queues", project], read: (signal) => listQueues({ project_id: project }, signal) });
  const [target, setTarget] = useState("");
  const chosen = target || queues.data?.[0]?.id || "";
  const add = useMutation({
    change: () => addQueueItems(chosen, { project_id: project, call_ids: callIds, display_fields: ["inputs", "output"] }),
    invalidates: [["queues", project]],
    done: ({ added_count, duplicates }) => {
      onClose();
      const text = duplicates > 0 ? `${plural(added_count, "call")} added, ${duplicates} in the queue already.` : `${plural(added_count, "call is", "calls are")} in the queue.`;
      toast({ kind: "ok", text, action: { label: "Annotate", run: () => navigate(paths.queues(project, chosen)) } });
    },
  });
  const none = queues.data?.length === 0;
  return (
    <Dialog
      open onClose={onClose} title={`Add ${plural(callIds.length, "call")} to a queue`} size="small"
      onSubmit={() => {
        if (chosen !== "") void add.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={chosen === ""} busy={add.pending}>Add</Button>
        </>
      }
    >
      {none ? <p>The project has no annotation queue. <a href={href(paths.queues(project), { new: "1" })}>Create one</a> first.</p> : (
        <Field label="Queue"><Select value={chosen} onChange={setTarget} options={(queues.data ?? []).map(({ id, name }) => ({ value: id, text: name }))} /></Field>
      )}
      {(queues.error ?? add.error) && <ErrorNote title={add.error ? "The calls were not added" : "The queues could not be read"} message={(add.error ?? queues.error)?.message ?? null} />}
    </Dialog>
  );
}
