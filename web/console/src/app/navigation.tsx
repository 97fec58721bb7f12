// The navigation at the side; on narrow screens a drawer.

import { useEffect } from "preact/hooks";

import { memo } from "../ui/memo";
import { BrandIcon, ShellIcon } from "./icons";
import { href, navigateTo, paths } from "./location";
import { useMe } from "./me";
import { type NavigationItem, navigationSections } from "./navigation_items";
import { activeRoute } from "./outlet";
import { drawerOpen } from "./overlays";
import { navigationProject, navigationTeam } from "./place";
import { ProjectSwitcher } from "./project_switcher";
import { useShortcut } from "./shortcuts";

function GoShortcut({ keys, label, href: target }: { keys: string; label: string; href: string }) {
  useShortcut({ keys, label, group: "Go to" }, () => navigateTo(target));
  return null;
}

/** A link of the navigation. Its props are plain values, so that it is rendered again only when it changes. */
const NavigationLink = memo(({ icon, label, href: target, keys, current }: Pick<NavigationItem, "icon" | "label" | "href"> & {
  keys: string | undefined;
  current: boolean;
}) => (
  <li>
    <a class="side-link" href={target} aria-current={current ? "page" : undefined}>
      <ShellIcon name={icon} />
      <span>{label}</span>
    </a>
    {keys && <GoShortcut keys={`g ${keys}`} label={label} href={target} />}
  </li>
));

export function useNavigationTeam(): string | null {
  const { data: me } = useMe();
  const { team } = activeRoute.value.params;
  return team ?? navigationTeam.value ?? me?.default_team ?? null;
}

export function Navigation() {
  const { data: me } = useMe();
  const { screen } = activeRoute.value;
  const team = useNavigationTeam();
  const project = navigationProject.value;
  const inOtherTeam = project !== null && team !== null && !project.startsWith(`${team}/`);
  const sections = navigationSections({
    project: inOtherTeam ? null : project,
    team,
    organizationAdmin: me?.organization_admin ?? false,
  });
  const open = drawerOpen.value;
  useEffect(() => {
    drawerOpen.value = false;
  }, [activeRoute.value]);
  useEffect(() => {
    if (!open) return undefined;
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") drawerOpen.value = false;
    };
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, [open]);
  return (
    <>
      {open && <div class="drawer-scrim" onClick={() => (drawerOpen.value = false)} />}
      <nav class={open ? "side side-open" : "side"} id="navigation" aria-label="Console">
        <a class="side-brand" href={href(paths.home())}>
          <BrandIcon />
          Spindle
        </a>
        <ProjectSwitcher />
        <div class="side-scroll">
          {sections.map(({ title, items }) => (
            <div key={title} class="side-section">
              {title !== "" && (
                <h2 class="side-title">
                  {title}
                  {title === "Team" && team && <span class="side-place">{team}</span>}
                </h2>
              )}
              <ul>
                {items.map((item) => (
                  <NavigationLink
                    key={item.screen} icon={item.icon} label={item.label} href={item.href} keys={item.key}
                    current={screen !== null && item.covers.includes(screen)}
                  />
                ))}
              </ul>
            </div>
          ))}
        </div>
      </nav>
    </>
  );
}
