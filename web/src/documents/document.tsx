// One Document: breadcrumb, title and body, beside its outline, links and revisions.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "../messages/t.ts";
import { go, Link } from "../router.tsx";
import { useHome, useMayWrite } from "../store/current-member.ts";
import { isProvisional } from "../store/queue/change.ts";
import { useReplica, useRow, useStore } from "../store/react.ts";
import type { Document } from "../store/rows.ts";
import { within } from "../ui/address.ts";
import { Button, Empty, IconButton, Skeleton } from "../ui/controls.tsx";
import { momentText } from "../ui/formats/dates.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { TitleField } from "../ui/title-field.tsx";
import { change, create, restore, trash } from "./actions.ts";
import { Content } from "./content.tsx";
import { Links } from "./links.tsx";
import { readDocument } from "./operations.ts";
import { type Heading, Outline } from "./outline.tsx";
import { Revisions } from "./revisions.tsx";
import { documentPath } from "./tree.tsx";
import { ancestorsOf } from "./tree-rows.ts";

export function DocumentView({ id }: { id: string }) {
  const replica = useReplica();
  const row = useRow("document", id);
  const [missing, setMissing] = useState(false);
  const [headings, setHeadings] = useState<readonly Heading[]>([]);
  const [beside, setBeside] = useState<"revisions" | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const isKnown = row !== undefined;
  useEffect(() => {
    if (isProvisional(id)) return;
    readDocument(replica.api, id).then(
      (brought) => {
        replica.take(brought);
        setMissing(brought.gone !== undefined);
      },
      () => {},
    );
  }, [replica, id]);
  useEffect(() => {
    if (row) document.title = `${row.title} · svc`;
  }, [row]);
  const real = row?.id;
  useEffect(() => {
    if (isProvisional(id) && real && !isProvisional(real)) go(documentPath(real), { replace: true });
  }, [id, real]);
  if (!row || (missing && !isKnown)) return missing ? <Empty title={t("doc.gone")} /> : <Skeleton rows={10} />;
  return (
    <>
      <Head row={row} showRevisions={() => setBeside("revisions")} />
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-5xl gap-10 px-4 py-6 sm:px-8">
          <article className="min-w-0 flex-1">
            <Trashed row={row} />
            <Title row={row} />
            <Content row={row} tell={setHeadings} />
            {!isProvisional(row.id) && <Links row={row} />}
          </article>
          <aside className="sticky top-6 hidden w-52 shrink-0 self-start xl:block">
            <Outline headings={headings} within={scroller} />
          </aside>
        </div>
      </div>
      {beside === "revisions" && <Revisions row={row} close={() => setBeside(null)} />}
    </>
  );
}

function Head({ row, showRevisions }: { row: Document; showRevisions: () => void }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayWrite();
  const above = useStore(({ store }) =>
    ancestorsOf(store, row.id)
      .map(({ id }) => id)
      .join(),
  );
  const project = useRow("project", row.project_id);
  const copy = (text: string) => () => void navigator.clipboard.writeText(text);
  const mayPublish = home?.role === "owner" || home?.role === "admin";
  const isMade = !isProvisional(row.id) && row.trashed_at === null;
  const shown = row.public_id && `${location.origin}/p/${row.public_id}`;
  return (
    <header className="flex min-h-11 items-center gap-1 border-b border-line px-3">
      <Link to={within("documents")} aria-label={t("doc.documents")} className="icon-btn lg:hidden">
        <Icon name="menu" />
      </Link>
      <nav aria-label={t("doc.where")} className="flex min-w-0 flex-1 items-center gap-1 text-12 text-soft">
        <span className="truncate">{project?.name ?? t("doc.workspace")}</span>
        {above
          .split(",")
          .filter(Boolean)
          .map((id) => (
            <Above key={id} id={id} />
          ))}
      </nav>
      {shown && (
        <a href={shown} target="_blank" rel="noreferrer" className="btn btn-quiet">
          <Icon name="link" className="size-3.5" />
          {t("doc.published")}
        </a>
      )}
      {mayWrite && isMade && (
        <IconButton
          icon="plus"
          label={t("doc.newBelow", { title: row.title })}
          onClick={() =>
            go(
              documentPath(
                create(replica, { parent_id: row.id, project_id: row.project_id }, { title: t("doc.untitled") }),
              ),
            )
          }
        />
      )}
      {isMade && (
        <Menu
          label={t("doc.menu", { title: row.title })}
          className="icon-btn"
          isPicture
          groups={[
            {
              items: [
                { label: t("doc.revisions"), icon: "clock", run: showRevisions },
                { label: t("doc.copyLink"), icon: "link", run: copy(location.origin + documentPath(row.id)) },
                ...(shown ? [{ label: t("doc.copyPublic"), run: copy(shown) }] : []),
              ],
            },
            ...(mayPublish
              ? [
                  {
                    items: [
                      shown
                        ? {
                            label: t("doc.unpublish"),
                            run: () => sure("doc.unpublishSure") && change(replica, row, { published: false }),
                          }
                        : {
                            label: t("doc.publish"),
                            run: () => sure("doc.publishSure") && change(replica, row, { published: true }),
                          },
                    ],
                  },
                ]
              : []),
            ...(mayWrite
              ? [
                  {
                    items: [
                      {
                        label: t(row.archived_at ? "doc.unarchive" : "doc.archive"),
                        run: () => change(replica, row, { archived: !row.archived_at }),
                      },
                      { label: t("doc.trash"), icon: "trash" as const, run: () => trash(replica, row) },
                    ],
                  },
                ]
              : []),
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </header>
  );
}
const sure = (key: "doc.publishSure" | "doc.unpublishSure") => confirm(t(key));

function Above({ id }: { id: string }): ReactNode {
  const row = useRow("document", id);
  return (
    <>
      <Icon name="right" className="size-3" />
      <Link to={documentPath(id)} className="truncate text-soft no-underline hover:text-ink">
        {row?.title}
      </Link>
    </>
  );
}

function Trashed({ row }: { row: Document }) {
  const replica = useReplica();
  const mayWrite = useMayWrite();
  if (row.trashed_at === null) return null;
  return (
    <p className="mb-3 flex items-center gap-2 rounded-lg bg-bad-wash px-3 py-2">
      <span className="flex-1">{t("doc.isTrashed")}</span>
      {mayWrite && <Button onClick={() => restore(replica, row)}>{t("panel.restore")}</Button>}
    </p>
  );
}

function Title({ row }: { row: Document }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayWrite() && row.trashed_at === null;
  const { title } = row;
  return (
    <div className="mb-4">
      <div className="flex items-start gap-2 text-24 font-semibold">
        {row.icon && <span aria-hidden="true">{row.icon}</span>}
        {mayWrite && <h1 className="sr-only">{title}</h1>}
        {mayWrite ? (
          <TitleField
            title={title}
            keep={(typed) => change(replica, row, { title: typed })}
            isNew={isProvisional(row.id)}
          />
        ) : (
          <h1 className="leading-snug break-words">{title}</h1>
        )}
      </div>
      <p className="mt-1 text-12 text-soft">
        {t("doc.updated", { when: momentText(row.updated_at, home?.locale, home?.timezone) })}
      </p>
    </div>
  );
}
