// Mention candidates for the typed text: people come from the store, everything else from the service's search.
import { useEffect, useState } from "react";
import type { Replica } from "../../store/replica.ts";

export interface Named {
  id: string;
  kind: string;
  name: string;
  /** Task code, username or Document path. */
  code: string;
  markdown: string;
}
const AFTER_MS = 120;
const MOST = 8;
const NOBODY: readonly Named[] = [];
const fold = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Markdown link to a resource, with the label escaped. */
const linked = (kind: string, id: string, text: string) => `[${text.replace(/[[\]\\]/g, "\\$&")}](svc:${kind}/${id})`;

function peopleNamed({ store }: Replica, words: string): Named[] {
  const found: Named[] = [];
  for (const { id, display_name, username, state } of store.all("person")) {
    if (state !== "active" || !username) continue;
    const name = display_name ?? username;
    const isFound = [name, ...name.split(" "), username].some((each) => fold(each).startsWith(fold(words)));
    if (isFound) found.push({ id, kind: "person", name, code: username, markdown: `@${username}` });
  }
  return found.sort((one, other) => one.name.localeCompare(other.name)).slice(0, MOST);
}

const OTHERS = "task,document,milestone,project";
export async function othersNamed({ api, member }: Replica, words: string, kinds = OTHERS): Promise<Named[]> {
  const { items } = await api.listReferenceOptions({
    workspace_id: member.workspaceId,
    kinds,
    limit: MOST,
    ...(words && { q: words }),
  });
  return items.map(({ id, kind, code, name }) => {
    const text = kind === "task" ? (code ?? id) : (name ?? code ?? id);
    return { id, kind, name: name ?? "", code: code ?? "", markdown: linked(kind, id, text) };
  });
}

/** Candidates of the current mention; empty while there is none. */
export function useNamed(replica: Replica, naming: { sign: "@" | "#"; words: string } | null): readonly Named[] {
  const [found, setFound] = useState<readonly Named[]>(NOBODY);
  const [sign, words] = [naming?.sign, naming?.words ?? ""];
  useEffect(() => {
    if (!sign) return setFound(NOBODY);
    if (sign === "@") return setFound(peopleNamed(replica, words));
    let current = true;
    const timer = setTimeout(() => {
      othersNamed(replica, words).then(
        (some) => current && setFound(some),
        () => current && setFound(NOBODY),
      );
    }, AFTER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [replica, sign, words]);
  return found;
}
