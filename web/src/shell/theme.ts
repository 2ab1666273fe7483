// Light, dark or as the system is, for this browser. The choice stands on the document, where the styles look for it.
export type Theme = "system" | "light" | "dark";
const KEY = "svc:theme";

export const theme = (): Theme => (localStorage.getItem(KEY) as Theme | null) ?? "system";
export function showTheme(choice: Theme = theme()) {
  if (choice === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  document.documentElement.dataset.theme = choice;
}
