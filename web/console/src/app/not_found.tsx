// What is shown for addresses that name nothing, and for things one cannot see.

import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";

import { Button } from "../ui/button";
import { Empty } from "../ui/feedback";
import { href, paths } from "./location";
import { InPage } from "./screen";

export function NotFound() {
  return (
    <div class="page">
      <Empty level={1} title="There is no such page" actions={<Button href={href(paths.home())}>Go to the home page</Button>}>
        <p>The address may be mistyped, or the link may be from another version.</p>
      </Empty>
    </div>
  );
}

/**
 * For a project, trace or other thing that the server does not show: it does not say which of both. `inner`: the screen
 * has another heading.
 */
export function Hidden({ what, inner = false, children }: { what: string; inner?: boolean; children?: ComponentChildren }) {
  const inPage = useContext(InPage);
  return (
    <div class="page">
      <Empty level={inner || inPage ? 2 : 1} title={`This ${what} is not there`} icon="lock" actions={<Button href={href(paths.home())}>Go to the home page</Button>}>
        <p>It does not exist, was deleted, or you are not a member of its team. An admin of the team can invite you.</p>
        {children}
      </Empty>
    </div>
  );
}
