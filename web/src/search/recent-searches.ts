// Recent searches of this browser, for each Workspace. Signing out deletes them.
const MOST = 10;
const nameOf = (workspaceId: string) => `svc:searched:${workspaceId}`;

export const recentSearches = (workspaceId: string): string[] =>
  JSON.parse(localStorage.getItem(nameOf(workspaceId)) ?? "[]");

export function remember(workspaceId: string, text: string) {
  const said = text.trim();
  if (said === "") return;
  const kept = [said, ...recentSearches(workspaceId).filter((each) => each !== said)].slice(0, MOST);
  localStorage.setItem(nameOf(workspaceId), JSON.stringify(kept));
}
export const forget = (workspaceId: string) => localStorage.removeItem(nameOf(workspaceId));
export function forgetSearches() {
  for (const name of Object.keys(localStorage)) if (name.startsWith("svc:searched:")) localStorage.removeItem(name);
}
