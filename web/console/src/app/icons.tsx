// Icons of the shell: the ones of ui/icons.tsx and the ones only the navigation needs.

import { Icon, type IconName } from "../ui/icons";

const DRAWINGS = {
  traces: "M2 3.5h8M4.5 8h9M7 12.5h5",
  evals: "M2.5 8.5l2 2 3.5-5M10 4.5h3.5M10 8h3.5M10 11.5h3.5",
  inbox: "M2.5 9.5l2-6.5h7l2 6.5v3.5h-11zM2.5 9.5H6l1 1.5h2l1-1.5h3.5",
  cube: "M8 2l5 2.8v6.4L8 14l-5-2.8V4.8zM3 4.8l5 2.9 5-2.9M8 7.7V14",
  curve: "M2.5 2.5v11h11M4.5 4c.8 4.5 3 6.5 9 7",
  pulse: "M2 8.5h2.5l2-5.5 3 10 2-4.5H14",
  team: "M6 3a2.3 2.3 0 1 1 0 4.6A2.3 2.3 0 0 1 6 3zM1.8 13c.3-2.6 1.9-4 4.2-4s3.9 1.4 4.2 4M10.5 3.3a2.2 2.2 0 0 1 0 4M12 9.4c1.3.6 2 1.8 2.2 3.6",
  chip: "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  bars: "M2.5 13.5h11M4 11V9M7 11V3M10 11V6M13 11V8",
  registry: "M3 2.5h2.5v11H3zM5.5 4.5H8v9H5.5zM9 4.7l2.3-.6 2.5 9-2.3.6z",
  shield: "M8 2l5 1.8V8c0 3-2 5-5 6-3-1-5-3-5-6V3.8zM6 8l1.5 1.5 2.8-3",
  exit: "M6.5 13.5h-4v-11h4M10 5l3 3-3 3M13 8H6",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M5 9.5h6",
  screen: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
} as const;

export type ShellIconName = keyof typeof DRAWINGS | IconName;

function isOwn(name: ShellIconName): name is keyof typeof DRAWINGS {
  return name in DRAWINGS;
}

/** The sign of the console, as in icon.svg. An image would be a request and a document of its own before the first paint. */
export function BrandIcon() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" fill="none" stroke-linecap="round" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#4f46e5" />
      <path d="M16 4v24" stroke="#fff" stroke-width="2.4" />
      <path d="M16 8c5.5 2.2 5.5 13.8 0 16c-5.5-2.2-5.5-13.8 0-16z" fill="#a5b4fc" />
      <path d="M12.6 13.2l6.8 1.8M12.1 16.6l7.8 2M13.4 20.4l5 1.3" stroke="#312e81" stroke-width="1.5" />
    </svg>
  );
}

export function ShellIcon({ name }: { name: ShellIconName }) {
  if (!isOwn(name)) return <Icon name={name} />;
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.4"
      stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={DRAWINGS[name]} />
    </svg>
  );
}
