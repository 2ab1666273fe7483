// Colours of Statuses, labels and Projects: a family, a family with a shade, or six hex digits. Always displayed beside
// a name, so that colour is never the only sign.
const families: Record<string, string> = {
  slate: "#64748b",
  gray: "#6b7280",
  red: "#e5484d",
  orange: "#f76b15",
  amber: "#e2a336",
  yellow: "#d6a700",
  lime: "#84a822",
  green: "#30a46c",
  emerald: "#10a37f",
  teal: "#12a594",
  cyan: "#0797b9",
  sky: "#2a9fd6",
  blue: "#3b7ddd",
  indigo: "#5b5bd6",
  violet: "#7c5cd6",
  purple: "#9a5cd0",
  fuchsia: "#b94fc9",
  pink: "#d6409f",
  rose: "#e54666",
};
/** Default colour of a Status by its category. */
const categories: Record<string, string> = {
  backlog: "#8b8d98",
  unstarted: "#8b8d98",
  started: "#e2a336",
  completed: "#5b5bd6",
  cancelled: "#8b8d98",
};

export function colourOf(color: string | null | undefined, category?: string): string {
  if (color?.startsWith("#")) return color;
  return families[color?.split("-")[0] ?? ""] ?? categories[category ?? ""] ?? "#8b8d98";
}
