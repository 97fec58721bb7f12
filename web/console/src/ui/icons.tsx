// Line icons of 16 × 16 pixels in the text's colour. They are decoration: the control that contains one has the name.

const PATHS = {
  add: "M8 3v10M3 8h10",
  alert: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.7v.3",
  archive: "M2.5 3.5h11v3h-11zM3.5 6.5v6.5h9v-6.5M6.5 9h3",
  arrowDown: "M8 3v10M4 9l4 4 4-4",
  arrowLeft: "M13 8H3M7 4 3 8l4 4",
  arrowRight: "M3 8h10M9 4l4 4-4 4",
  arrowUp: "M8 13V3M4 7l4-4 4 4",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 14h3",
  book: "M3 2.5h8.5a1.5 1.5 0 0 1 1.5 1.5v9.5H4.5A1.5 1.5 0 0 1 3 12zM3 12a1.5 1.5 0 0 1 1.5-1.5H13",
  bot: "M3 6h10v7H3zM8 6V3M6 9v1M10 9v1M1.5 9v2M14.5 9v2",
  chart: "M2.5 2.5v11h11M5 10.5l2.5-3.5 2 2L13 4.5",
  chat: "M2.5 3h11v8H8l-3 2.5V11H2.5z",
  check: "m3 8.5 3.5 3.5L13 4.5",
  chevronDown: "m4 6 4 4 4-4",
  chevronLeft: "m10 4-4 4 4 4",
  chevronRight: "m6 4 4 4-4 4",
  chevronUp: "m4 10 4-4 4 4",
  clock: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.5V8l2.5 1.5",
  close: "m4 4 8 8M12 4l-8 8",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  compare: "M3 3h3.5v10H3zM9.5 3H13v10H9.5z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  database: "M3 4c0-2 10-2 10 0v8c0 2-10 2-10 0zM3 4c0 2 10 2 10 0M3 8c0 2 10 2 10 0",
  dots: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  download: "M8 2.5v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  edit: "m3 13 .7-3L11 2.7l2.3 2.3L6 12.3z",
  external: "M9 2.5h4.5V7M13.5 2.5 7 9M11.5 9.5v4h-9v-9h4",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  eyeOff: "m2.5 2.5 11 11M4 5C2.4 6.3 1.5 8 1.5 8S4 12.5 8 12.5c1.3 0 2.4-.4 3.3-1M6.5 3.7C7 3.6 7.5 3.5 8 3.5 12 3.5 14.5 8 14.5 8s-.6 1.1-1.7 2.2",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  flask: "M6 2.5h4M6.5 2.5v4L3 13.5h10L9.5 6.5v-4M4.8 10h6.4",
  folder: "M2 4h4.5L8 5.5h6v7.5H2z",
  gear: "M8 5.7a2.3 2.3 0 1 1 0 4.6 2.3 2.3 0 0 1 0-4.6zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
  help: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6.2 6.5a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.3v.2",
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5v7h8v-7",
  info: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.5v3.5M8 5v.2",
  key: "M10.5 2.5a3 3 0 1 1-2.1 5.1L3 13H2.5v-2.5H5V9h1.5l1-1M11 5v.1",
  layers: "m8 2.5 6 3-6 3-6-3zM2 8.5l6 3 6-3M2 11l6 3 6-3",
  link: "M6.5 9.5a2.5 2.5 0 0 0 3.5 0l3-3A2.5 2.5 0 0 0 9.5 3l-1 1M9.5 6.5a2.5 2.5 0 0 0-3.5 0l-3 3A2.5 2.5 0 0 0 6.5 13l1-1",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  lock: "M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  minus: "M3 8h10",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  pause: "M5 3.5v9M11 3.5v9",
  person: "M8 2.5a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM2.5 13.5c.6-2.4 2.7-3.5 5.5-3.5s4.9 1.1 5.5 3.5",
  play: "M4.5 3v10l8-5z",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3h-3",
  rocket: "M6 10 4 8c1-3.5 4-6 9.5-5.5C14 8 11.5 11 8 12zM4 8H2.5l1.5-2.5M8 12v1.5l2.5-1.5M9.5 6.5h.1M3 11.5l-.5 2 2-.5",
  save: "M3 2.5h8l2.5 2.5v8.5h-11v-11zM5 2.5v4h5v-4M5 13.5v-4h6v4",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3 13.5 13.5",
  send: "M2.5 3 14 8 2.5 13l1.5-5zM4 8h5",
  sliders: "M2.5 4.5H8M11 4.5h2.5M9.5 3v3M2.5 11.5H5M8 11.5h5.5M6.5 10v3",
  star: "m8 2 1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
  stop: "M4 4h8v8H4z",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1",
  table: "M2.5 3h11v10h-11zM2.5 6.5h11M6.5 6.5V13",
  tag: "M2.5 2.5h5.5l5.5 5.5-5.5 5.5-5.5-5.5zM5.3 5.3h.1",
  terminal: "M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10H11",
  thumbDown: "M5 8.5v-6h6.5l1.5 4v2H9.5l.5 4-1.5 1L5 8.5H2.5v-6H5",
  thumbUp: "M5 7.5v6h6.5l1.5-4v-2H9.5l.5-4-1.5-1L5 7.5H2.5v6H5",
  tool: "M10 2.7a3.5 3.5 0 0 0-3.2 4.8L2.5 11.8l1.7 1.7 4.3-4.3a3.5 3.5 0 0 0 4.6-4.4L11 6.9 9.1 5z",
  trash: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
  upload: "M8 10.5v-8M4.5 6 8 2.5 11.5 6M2.5 13.5h11",
  webhook: "M5.5 10.5 8 6M8 6a2.2 2.2 0 1 1 2-3M8 6l2.5 4.5M10.5 10.5a2.2 2.2 0 1 1-.5 2.5M10 12.5H6M6 12.5a2.2 2.2 0 1 1-2.5-3",
  workflow: "M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM6.5 4.5H11.5v5",
} as const;

export type IconName = keyof typeof PATHS;

export interface IconProps {
  name: IconName;
  size?: number;
  class?: string;
}

export function Icon({ name, size = 16, class: className = "" }: IconProps) {
  return (
    <svg
      class={className} width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor"
      stroke-width={name === "dots" ? 2 : 1.4} stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export const ICON_NAMES = Object.keys(PATHS) as IconName[];
