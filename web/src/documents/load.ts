// Loads the Documents of a Workspace into the store, without their bodies; afterwards hints refresh them.
import { useEffect } from "react";
import { useConnection, useReplica, useStore } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import type { Document } from "../store/rows.ts";
import { readDocument } from "./operations.ts";

const LOADED = "documents";

async function load(replica: Replica) {
  const { api, store, member } = replica;
  const before = [...store.allSaid("document")] as unknown as Document[];
  const rows: Document[] = [];
  for await (const row of api.listDocuments({ workspace_id: member.workspaceId, sort: "created", limit: 100 }))
    rows.push(row);
  const listed = new Set(rows.map(({ id }) => id));
  const isGone = (row: Document) =>
    !listed.has(row.id) && !row.trashed_at && !row.archived_at && store.said("document", row.id) === row;
  replica.take({ document: rows, gone: { document: before.filter(isGone).map(({ id }) => id) } });
  replica.setFact(LOADED, true);
}

/** True once all Documents are in the store. */
export function useDocuments(): boolean {
  const replica = useReplica();
  const isLive = useConnection() === "live";
  const loaded = useStore(({ store }) => store.fact<boolean>(LOADED) === true);
  useEffect(() => {
    if (!isLive) return;
    load(replica).catch(() => {});
    // Hints also cover Documents of Projects that the store does not hold.
    const stop = replica.onHints((hints) => {
      for (const { kind, id, action } of hints)
        if (kind === "document" && action !== "removed") readDocument(replica.api, id).then(replica.take, () => {});
    });
    return () => void stop();
  }, [replica, isLive]);
  return loaded;
}
