// The datasets of a project.

import { useState } from "preact/hooks";

import { invalidate, useMutation, useQuery } from "../../api/cache";
import { type ObjectVersion, tableStats } from "../../api/objects";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount, plural } from "../../format/numbers";
import { formatRelative } from "../../format/time";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { createWithRows } from "../shared_collect/dataset_write";
import { tableDigest } from "../shared_objects/refs";
import { useLatestObjects } from "../shared_objects/versions";
import { isRecord } from "../shared_values/value_text";
import { ImportDialog } from "./import_dialog";
import type { Row } from "./parse_rows";

function RowCount({ project, dataset }: { project: string; dataset: ObjectVersion }) {
  const digest = isRecord(dataset.val) ? tableDigest(dataset.val.rows) : null;
  const { data } = useQuery({
    key: ["table", project, digest, "count"],
    read: (signal) => tableStats({ project_id: project, digest: digest ?? "" }, signal),
    enabled: digest !== null,
    staleTime: Infinity,
  });
  return <>{formatCount(data?.count)}</>;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

export function DatasetList() {
  const { id: project, team } = useProject();
  const { write } = useRights(team);
  const datasets = useLatestObjects(project, ["Dataset"], { values: true });
  const [find, setFind] = useUrlState("find", codecs.text());
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [done, setDone] = useState(0);
  const [now] = useState(Date.now);
  const create = useMutation({
    change: ({ rows, name, description }: { rows: Row[]; name: string; description: string }) => createWithRows(project, name, description, rows, setDone),
    done: ({ id }, { rows }) => {
      void invalidate(["objects", project]);
      toast({ kind: "ok", text: `The dataset ${id} has ${plural(rows.length, "row")}.` });
      navigate(paths.datasets(project, id));
    },
  });
  useShortcut({ keys: "n", label: "New dataset", group: "Datasets" }, () => setAdding(true), write);
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  return (
    <Page
      title="Datasets" lead="Examples to evaluate and to train with. Every change is a new version."
      actions={write && <Button kind="primary" icon="add" onClick={() => setAdding(true)}>New dataset</Button>}
    >
      <Loaded state={datasets} what="list of datasets">
        {(all) => {
          const wanted = find.toLowerCase().trim();
          const shown = all.filter(({ object_id, val }) => `${object_id} ${isRecord(val) ? textOf(val.name) : ""}`.toLowerCase().includes(wanted));
          if (all.length === 0) {
            return (
              <Empty
                title="No dataset yet" icon="table"
                actions={write && (
                  <>
                    <Button kind="primary" icon="upload" onClick={() => setAdding(true)}>Import JSONL or CSV</Button>
                    <Button icon="list" href={href(paths.traces(project))}>Choose traces</Button>
                  </>
                )}
                snippets={[{ title: "Create a dataset with curl", text: `curl -u api:$KEY ${server}/v2/${project}/datasets -d '{"name": "capitals", "rows": [\n  {"question": "France?", "target": "Paris"}, {"question": "Italy?", "target": "Rome"}]}'` }]}
              >
                <p>A dataset is a list of examples: a question, what is expected, and anything else. Import a file, or collect good and bad examples from traces.</p>
              </Empty>
            );
          }
          return (
            <>
              {all.length > 8 && <div class="datasets-find"><TextInput type="search" icon="search" label="Find a dataset" placeholder="Find a dataset" value={find} onInput={(text) => setFind(text, { replace: true })} /></div>}
              <Table
                label="Datasets" rows={shown} rowKey={({ object_id }) => object_id} rowHref={({ object_id }) => href(paths.datasets(project, object_id))} empty="No dataset matches."
                columns={[
                  {
                    key: "name", title: "Name", wide: true,
                    cell: ({ object_id, val }) => (
                      <span class="dataset-name">
                        <strong><SafeText text={object_id} line /></strong>
                        {isRecord(val) && textOf(val.description) !== "" && <span class="faint truncate"><SafeText text={textOf(val.description)} line /></span>}
                      </span>
                    ),
                  },
                  { key: "rows", title: "Rows", number: true, cell: (dataset) => <RowCount project={project} dataset={dataset} /> },
                  { key: "version", title: "Version", number: true, cell: ({ version_index }) => `v${version_index}` },
                  { key: "updated", title: "Changed", cell: ({ created_at }) => <span class="nowrap soft">{formatRelative(created_at, now)}</span> },
                ]}
              />
            </>
          );
        }}
      </Loaded>
      {adding && (
        <ImportDialog
          title="New dataset" action="Create" named busy={create.pending} done={done} error={create.error} onClose={() => setAdding(false)}
          onRows={(rows, name, description) => void create.run({ rows, name, description }).catch(() => undefined)}
        />
      )}
    </Page>
  );
}
