// Icons in the colour of the text, hidden from screen readers because a text always accompanies them.
import type { ReactNode } from "react";
import { colourOf } from "./colour.ts";

const paths = {
  home: "M2.5 7.2 8 2.8l5.5 4.4v6H10v-3.7H6v3.7H2.5z",
  inbox: "M2.5 9 4 3.5h8L13.500 9v3.500h-11zM2.500 9H6l.7 1.500h2.600L10 9h3.500",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.500 3.500",
  plus: "M8 3.200v9.600M3.200 8h9.600",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  close: "m4 4 8 8M12 4l-8 8",
  up: "m4.500 9.500 3.500-3.500 3.500 3.500",
  down: "m4.500 6.500 3.500 3.500 3.500-3.500",
  left: "m9.500 4.500-3.500 3.500 3.500 3.500",
  right: "m6.500 4.500 3.500 3.500-3.500 3.500",
  board: "M3 3h3v10H3zM8.200 3h3v6.500h-3z",
  list: "M2.500 4.500h11M2.500 8h11M2.500 11.500h7",
  overview: "M3 13V8M7 13V4M11 13V6.500",
  calendar: "M3 4.500h10v8.500H3zM3 7.500h10M6 3v2.500M10 3v2.500",
  check: "m3.500 8.500 3 3 6-7",
  filter: "M2.500 4h11M4.500 8h7M6.500 12h3",
  more: "M4 8h.01M8 8h.01M12 8h.01",
  person:
    "M8 8a2.300 2.300 0 1 0 0-4.600A2.300 2.300 0 0 0 8 8zM3.500 13c.5-2.200 2.200-3.300 4.500-3.300s4 1.100 4.500 3.300",
  label: "M3 3h5.500L13 7.500 8.500 12 3 6.500zM5.600 5.600h.01",
  trash: "M3 4.500h10M6 4.500V3h4v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500",
  undo: "M5.500 3 2.800 5.700l2.700 2.700M3 5.700h6.200a3.700 3.700 0 0 1 0 7.400H6",
  cloud: "M5 12h6.500a2.500 2.500 0 0 0 .3-5A4 4 0 0 0 4.200 7.400 2.300 2.300 0 0 0 5 12z",
  comment: "M3 3.500h10v7H7.500L5 13v-2.500H3z",
  subtask: "M4 3v6.500h3M9 7.500h4v4H9z",
  settings:
    "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 2.500v2M8 11.500v2M2.500 8h2M11.500 8h2M4.100 4.100l1.400 1.400M10.500 10.500l1.400 1.400M11.900 4.100l-1.400 1.400M5.500 10.500l-1.400 1.400",
  pulse: "M2 8.500h2.800l1.700-4.700 3 8.400 1.700-3.700H14",
  clock: "M8 2.800a5.200 5.200 0 1 0 0 10.400A5.200 5.200 0 0 0 8 2.800zM8 5v3.200l2 1.300",
  timeline: "M2.500 4h5M5.500 8h6M8.500 12h5",
  play: "M5.500 3.500v9l7-4.500z",
  stop: "M4.500 4.500h7v7h-7z",
  review: "M3 3.500h10v9H3zM5.500 8l1.700 1.700L10.500 6.500",
  bookmark: "M4.500 2.500h7v11L8 10.500l-3.500 3z",
  star: "M8 2.600l1.700 3.500 3.800.5-2.800 2.700.7 3.800L8 11.300l-3.400 1.800.7-3.800L2.500 6.600l3.800-.5z",
  flag: "M4 13.500V3h7.500l-1.500 2.700 1.500 2.800H4",
  lock: "M4.500 7.500h7V13h-7zM6 7.500V5.400a2 2 0 0 1 4 0v2.100",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  bell: "M4.500 11V7.500a3.500 3.500 0 0 1 7 0V11l1 1h-9zM7 13.500h2",
  smile:
    "M8 2.800a5.200 5.200 0 1 0 0 10.400A5.200 5.200 0 0 0 8 2.800zM5.800 9.300a2.600 2.600 0 0 0 4.400 0M6.200 6.500h.01M9.800 6.500h.01",
  clip: "M10.500 5.500 6 10a1.200 1.200 0 0 0 1.700 1.700l4.600-4.600a2.500 2.500 0 0 0-3.500-3.500L4.200 8.200a3.800 3.800 0 0 0 5.400 5.400l3.400-3.400",
  link: "M6.800 9.200a2.300 2.300 0 0 0 3.300 0l2-2a2.300 2.300 0 0 0-3.300-3.300l-.7.7M9.200 6.800a2.300 2.300 0 0 0-3.300 0l-2 2a2.300 2.300 0 0 0 3.300 3.300l.7-.7",
  document: "M4 2.500h8v11H4zM6 5.500h4M6 8h4M6 10.500h2.500",
  agent: "M3.500 6h9v7h-9zM8 6V3M6 9h.01M10 9h.01M6.500 11.200h3",
  blocked: "M8 2.800a5.200 5.200 0 1 0 0 10.400A5.200 5.200 0 0 0 8 2.800zM4.500 4.500l7 7",
} as const;
export type IconName = keyof typeof paths;

export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <Drawn className={className}>
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </Drawn>
  );
}
function Drawn({ className, children }: { className: string; children: ReactNode }) {
  return (
    <svg viewBox="0 0 16 16" className={`${className} shrink-0`} aria-hidden="true">
      {children}
    </svg>
  );
}

/** Progress of a Status by shape: dashed, empty, half, full with a tick or a cross. */
export function StatusIcon({ category, color }: { category: string; color: string | null | undefined }) {
  const paint = colourOf(color, category);
  const done = category === "completed" || category === "cancelled";
  return (
    <Drawn className="size-3.5">
      <circle
        cx="8"
        cy="8"
        r="6.2"
        fill={done ? paint : "none"}
        stroke={paint}
        strokeWidth="1.6"
        strokeDasharray={category === "backlog" ? "2.2 2.2" : undefined}
      />
      {category === "started" && <path d="M8 4.200a3.800 3.800 0 0 1 0 7.600z" fill={paint} />}
      {category === "completed" && (
        <path
          d="m5 8.200 2.100 2.100L11 6.300"
          fill="none"
          className="stroke-card"
          strokeWidth="1.6"
          strokeLinecap="round"
        />
      )}
      {category === "cancelled" && (
        <path
          d="m5.800 5.800 4.400 4.400m0-4.400-4.400 4.400"
          className="stroke-card"
          strokeWidth="1.6"
          strokeLinecap="round"
        />
      )}
    </Drawn>
  );
}

/** Bars by priority; urgent has an icon of its own. */
export function PriorityIcon({ priority }: { priority: string }) {
  const bars = { none: 0, low: 1, medium: 2, high: 3, urgent: 3 }[priority] ?? 0;
  if (priority === "urgent")
    return (
      <Drawn className="size-3.5 text-urgent">
        <rect x="1.500" y="1.500" width="13" height="13" rx="3" fill="currentColor" />
        <path d="M8 4.500v4.200M8 11.300v.1" className="stroke-card" strokeWidth="1.8" strokeLinecap="round" />
      </Drawn>
    );
  if (priority === "none")
    return (
      <Drawn className="size-3.5 text-soft">
        <path d="M2.500 8h2M7 8h2M11.500 8h2" stroke="currentColor" strokeWidth="1.600" strokeLinecap="round" />
      </Drawn>
    );
  return (
    <Drawn className="size-3.5 text-soft">
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={2 + bar * 4.5}
          y={9 - bar * 3}
          width="3"
          height={5 + bar * 3}
          rx="1"
          fill="currentColor"
          opacity={bar < bars ? 1 : 0.3}
        />
      ))}
    </Drawn>
  );
}
