// Light, dark or system theme of this browser. The choice is an attribute of the document, which the styles select.
export type Theme = "system" | "light" | "dark";
const KEY = "svc:theme";

export const theme = (): Theme => (localStorage.getItem(KEY) as Theme | null) ?? "system";
export function showTheme(choice: Theme = theme()) {
  if (choice === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  document.documentElement.dataset.theme = choice;
}
