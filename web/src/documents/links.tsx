// Links of a Document: those that members created, and those that mentions in its text create.
import type { Operations } from "@svc/client";
import { useEffect, useState } from "react";
import { type Named, othersNamed } from "../editor/suggestions/mention-sources.ts";
import { t } from "../messages/t.ts";
import { Link } from "../router.tsx";
import { useMayWrite } from "../store/current-member.ts";
import { usePending, useReplica } from "../store/react.ts";
import type { Document } from "../store/rows.ts";
import { within } from "../ui/address.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Picker } from "../ui/overlays/picker.tsx";
import { documentPath } from "./tree.tsx";

type Linked = Awaited<ReturnType<Operations["listDocumentLinks"]>>["items"][number];
const AFTER_MS = 150;

export function Links({ row }: { row: Document }) {
  const replica = useReplica();
  const { api } = replica;
  const mayWrite = useMayWrite() && row.trashed_at === null;
  const [links, setLinks] = useState<readonly Linked[]>([]);
  const [turn, setTurn] = useState(0);
  /** Pending changes of this Document; the count changes when one is sent and when one is undone. */
  const waiting = usePending().filter(({ ids }) => ids.includes(row.id)).length;
  const change = (operation: "linkDocument" | "unlinkDocument", target_kind: string, target_id: string) =>
    replica.make(operation, { ids: [row.id], input: { document_id: row.id, target_kind, target_id } });
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when it says something else, or a link was made.
  useEffect(() => {
    let current = true;
    api.listDocumentLinks({ document_id: row.id, limit: 100 }).then(
      ({ items }) => current && setLinks(items),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [api, row.id, row.content_revision, turn, waiting]);
  useEffect(() => {
    const stop = replica.onHints((hints) => {
      if (hints.some(({ kind, id }) => kind === "document" && id === row.id)) setTurn((before) => before + 1);
    });
    return () => void stop();
  }, [replica, row.id]);
  const groups = [
    ["doc.linksTo", links.filter(({ direction }) => direction === "outgoing")],
    ["doc.linkedFrom", links.filter(({ direction }) => direction === "incoming")],
  ] as const;
  return (
    <section aria-label={t("doc.links")} className="mt-10 border-t border-line pt-4">
      <header className="flex h-8 items-center gap-2">
        <h2 className="font-semibold">{t("doc.links")}</h2>
        <span className="flex-1" />
        {mayWrite && <Adding add={(one) => change("linkDocument", one.kind, one.id)} />}
      </header>
      {groups.map(
        ([title, some]) =>
          some.length > 0 && (
            <div key={title} className="mt-2">
              <h3 className="text-12 text-soft">{t(title)}</h3>
              <ul>
                {some.map((link) => (
                  <li key={link.direction + link.target_id} className="group flex h-8 items-center gap-2">
                    <Icon name={link.target_kind === "document" ? "document" : "link"} className="size-3.5 text-soft" />
                    <Target link={link} />
                    {mayWrite && link.direction === "outgoing" && link.origins.includes("manual") && (
                      <IconButton
                        icon="close"
                        label={t("doc.unlink", { name: link.name ?? link.code ?? "" })}
                        onClick={() => change("unlinkDocument", link.target_kind, link.target_id)}
                        className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
                      />
                    )}
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
    </section>
  );
}

function Target({ link: { target_kind, target_id, code, name } }: { link: Linked }) {
  const words = [target_kind === "task" || target_kind === "milestone" ? code : null, name].filter(Boolean).join(" ");
  const to =
    target_kind === "task"
      ? within(`tasks/${code}`)
      : target_kind === "document"
        ? documentPath(target_id)
        : target_kind === "project"
          ? within(`projects/${code}`)
          : null;
  if (to === null) return <span className="min-w-0 flex-1 truncate">{words}</span>;
  return (
    <Link to={to} className="min-w-0 flex-1 truncate text-ink no-underline hover:underline">
      {words}
    </Link>
  );
}

/** Search field for Tasks and Milestones to link. */
function Adding({ add }: { add: (one: Named) => void }) {
  const replica = useReplica();
  const [text, setText] = useState("");
  const [found, setFound] = useState<readonly Named[]>([]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      othersNamed(replica, text, "task,milestone").then(
        (some) => current && setFound(some),
        () => {},
      );
    }, AFTER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [replica, text]);
  return (
    <Picker
      label={t("doc.addLink")}
      options={found.map(({ id, name, code }) => ({ id, label: name, hint: code, words: `${code} ${text}` }))}
      typed={setText}
      pick={(id) => add(found.find((one) => one.id === id) as Named)}
    >
      <Icon name="plus" />
    </Picker>
  );
}
