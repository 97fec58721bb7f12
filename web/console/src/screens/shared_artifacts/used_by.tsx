// What used a version: runs, training jobs, evaluations.

import { usedBy } from "../../api/artifacts";
import { useQuery } from "../../api/cache";
import { href, paths } from "../../app/location";
import { Loaded } from "../../app/page";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { Ago } from "../shared_parts/ago";
import type { Place } from "./place";

interface Use {
  kind: "run" | "job" | "evaluation";
  id: string;
  name: string;
  project: string;
  state: string | null;
  at: string;
  href: string;
}

export function UsedBy({ place, collection, version, now }: { place: Place; collection: string; version: string; now: number }) {
  const uses = useQuery({ key: ["used by", place.key, collection, version], read: (signal) => usedBy(place.home, collection, version, signal) });
  return (
    <Loaded state={uses} what="list of uses" lines={3}>
      {({ runs, jobs, evaluations, truncated }) => {
        const rows: Use[] = [
          ...runs.map(({ team, project, run, name, state, used_at }) => ({ kind: "run" as const, id: run, name, project: `${team}/${project}`, state, at: used_at, href: href(paths.runs(`${team}/${project}`, run)) })),
          ...jobs.map(({ id, team, project, model, status, created_at }) => ({ kind: "job" as const, id, name: model, project: `${team}/${project}`, state: status, at: created_at, href: href(paths.trainingJob(`${team}/${project}`, id)) })),
          ...evaluations.map(({ run, team, project, model, started_at }) => ({ kind: "evaluation" as const, id: run, name: model, project: `${team}/${project}`, state: null, at: started_at, href: href(paths.evals(`${team}/${project}`, run)) })),
        ].sort((a, b) => b.at.localeCompare(a.at));
        if (rows.length === 0) return <p class="soft more-none">No run, training job or evaluation has used this version.</p>;
        return (
          <>
            <div class="card">
              <Table
                label="Used by" rows={rows} rowKey={({ kind, id }) => `${kind} ${id}`} rowHref={(row) => row.href}
                columns={[
                  { key: "name", title: "Name", wide: true, cell: ({ name }) => <SafeText text={name} line /> },
                  { key: "kind", title: "Kind", cell: ({ kind }) => <Badge>{kind}</Badge> },
                  { key: "project", title: "Project", cell: ({ project }) => <span class="cut"><SafeText text={project} line /></span> },
                  { key: "state", title: "State", cell: ({ state }) => state && <Status state={state} /> },
                  { key: "at", title: "When", cell: ({ at }) => <Ago time={at} now={now} /> },
                ]}
              />
            </div>
            {truncated && <p class="soft">There may be more.</p>}
          </>
        );
      }}
    </Loaded>
  );
}
