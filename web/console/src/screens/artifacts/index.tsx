// The artifacts of a project: collections, one collection, one version.

import { useRights } from "../../app/me";
import { Page } from "../../app/page";
import { type ScreenProps, useProject } from "../../app/screen";
import { Empty } from "../../ui/feedback";
import { CollectionTable } from "../shared_artifacts/collection_table";
import { CollectionView } from "../shared_artifacts/collection_view";
import { projectPlace } from "../shared_artifacts/place";
import { VersionView } from "../shared_artifacts/version_view";
import { useNow } from "../shared_parts/ago";
import { connectionLine } from "../shared_parts/connection";

function snippet(project: string): string {
  return [
    connectionLine(),
    `spindle artifact put ${project}/greetings hello.txt data/ --type dataset --url $URL --key $KEY`,
    `spindle artifact ls ${project}/greetings --url $URL --key $KEY`,
  ].join("\n");
}

export default function Artifacts({ params }: ScreenProps) {
  const { id, team } = useProject();
  const { write } = useRights(team);
  const now = useNow();
  const place = projectPlace(id, write);
  const { collection, version } = params;
  if (collection && version) return <VersionView key={`${collection} ${version}`} place={place} collection={collection} name={version} />;
  if (collection) return <CollectionView key={collection} place={place} name={collection} />;
  return (
    <Page title="Artifacts" lead="Versioned files: data, adapters of trained models, anything that runs use and make.">
      <CollectionTable
        place={place} now={now}
        empty={(
          <Empty title="No artifacts yet" icon="archive" snippets={[{ title: "Upload files", text: snippet(id) }]}>
            <p>Training data that you export and checkpoints of models appear here too.</p>
          </Empty>
        )}
      />
    </Page>
  );
}
