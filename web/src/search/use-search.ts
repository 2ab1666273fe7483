// Debounced search that discards outdated responses. The previous results stay visible until the next response arrives.
import type { Operations, Problem } from "@svc/client";
import { useEffect, useRef, useState } from "react";
import { useConnection, useReplica } from "../store/react.ts";

export const kinds = ["task", "comment", "document"] as const;
export type SearchKind = (typeof kinds)[number];
export type Result = Awaited<ReturnType<Operations["search"]>>["items"][number];

const PAUSE_MS = 120;
const PAGE = 30;

interface Found {
  asked: string;
  items: readonly Result[];
  next: string | null;
}
export function useFound(q: string, kind: SearchKind | null, limit = PAGE) {
  const { api, member } = useReplica();
  const connection = useConnection();
  const [found, setFound] = useState<Found | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  const text = q.trim();
  const asked = text === "" ? "" : `${kind} ${text}`;
  const latest = useRef(asked);
  latest.current = asked;
  const read = (cursor?: string) =>
    api.search({
      workspace_id: member.workspaceId,
      q: text,
      limit,
      ...(kind && { type: kind }),
      ...(cursor && { cursor }),
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the question, the connection or the person wants it.
  useEffect(() => {
    if (asked === "") return setFound(null);
    const timer = setTimeout(() => {
      read().then(
        ({ items, next_cursor }) => {
          if (latest.current !== asked) return;
          setFailed(null);
          setFound({ asked, items, next: next_cursor });
        },
        ({ code, status }: Problem) => latest.current === asked && setFailed(status === 0 ? "unreachable" : code),
      );
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [asked, connection, tries]);
  async function more() {
    if (!found?.next) return;
    const page = await read(found.next);
    if (latest.current === found.asked)
      setFound({ ...found, items: [...found.items, ...page.items], next: page.next_cursor });
  }
  const isStale = found !== null && found.asked !== asked;
  return {
    items: asked === "" ? undefined : found?.items,
    next: isStale ? null : (found?.next ?? null),
    failed,
    isStale,
    more,
    again: () => setTries(tries + 1),
  };
}
