// Workspaces that were open in this browser, with the member, until sign-out: persisted rows can appear before the
// service answers.

import type { ReplicaOwner } from "../store/replica.ts";
import { hasLeft, isSignedIn, onLeft } from "../store/sign-out.ts";
import { pictureKeys } from "./picture.ts";

export interface Here extends ReplicaOwner {
  slug: string;
  language: string;
  locale: string;
}
const KEY = "svc:here";
export const remembered = (): Record<string, Here> => JSON.parse(localStorage.getItem(KEY) ?? "{}");
export function remember(here: Here) {
  if (hasLeft() || !isSignedIn()) return;
  localStorage.setItem(KEY, JSON.stringify({ ...remembered(), [here.slug]: here }));
}
export function forgetMembers() {
  localStorage.removeItem(KEY);
  const visits = Object.keys(localStorage).filter((name) => name.startsWith("svc:visited:"));
  for (const name of [...visits, ...pictureKeys()]) localStorage.removeItem(name);
}

onLeft(forgetMembers);

/** Slug of the Workspace that was open last. */
export const lastSlug = () => localStorage.getItem("svc:last");
