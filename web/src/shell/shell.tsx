// Frame around every page of a Workspace: opens the persisted replica and renders it, then refreshes it.
import { Problem } from "@svc/client";
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { useSession } from "../account/session.tsx";
import { proved } from "../account/svc.ts";
import { endPicture, pictureKey } from "../first-paint/picture.ts";
import { fetchAhead } from "../first-paint/prefetch.ts";
import type { Here } from "../first-paint/remembered-workspaces.ts";
import { usePicture } from "../first-paint/take-picture.ts";
import { onSpeak, speak, spoken, t } from "../messages/t.ts";
import { go, useAddress } from "../router.tsx";
import type { Home } from "../store/current-member.ts";
import { ReplicaContext, useReplica, useStore } from "../store/react.ts";
import { Replica } from "../store/replica.ts";
import { NewTask } from "../tasks/new-task.tsx";
import { startTimer, stopTimer, type Timer } from "../time/timer.tsx";
import { within } from "../ui/address.ts";
import { Skeleton } from "../ui/controls.tsx";
import { toggleTalk, useTalking } from "../ui/conversation-state.ts";
import { importWithRetry } from "../ui/import-with-retry.ts";
import { useKeys } from "../ui/keys.ts";
import { later } from "../ui/lazy-part.tsx";
import { loadWorkspace } from "../workspace/load.ts";
import { ConnectionLine } from "./connection.tsx";
import { domains } from "./domains.ts";
import { Help } from "./help.tsx";
import { install } from "./install-worker.ts";
import { useHere } from "./member.ts";
import { CurrentPage, fetchNear, fetchPage, isPictured } from "./pages.tsx";
import { MobileBar, Sidebar } from "./sidebar/sidebar.tsx";
import { Toasts } from "./toasts.tsx";
import { keepFresh } from "./workspace-refresh.ts";

const Outside = lazy(() => import("./workspace-refusal.tsx"));
const Palette = lazy(() => import("./palette.tsx"));
/** Task panel, loaded after the page has rendered, so that the first Task opens at once. */
const Panel = later<{ taskId: string }>(() =>
  import("../tasks/panel/panel.tsx").then((file) => ({ default: file.Panel })),
);
/** Conversation panel, and the module that refreshes it. */
const Conversation = lazy(() => import("../discuss/panel.tsx"));
const Following = lazy(async () => {
  const { Following } = await importWithRetry(() => import("../discuss/load.ts"));
  return { default: Following };
});

const calls = { onProofNeeded: proved, fetch: fetchAhead };
// Loads the page chunk in parallel with the persisted rows.
const page = fetchPage();

export default function Shell({ slug }: { slug: string }) {
  const here = useHere(slug);
  const { session } = useSession();
  // True if there is neither a previous visit nor a session.
  const isOutside = here instanceof Problem || (here === null && session.state !== "in" && session.state !== "unknown");
  useLayoutEffect(() => {
    if (!isOutside) return;
    localStorage.removeItem(pictureKey());
    endPicture();
  }, [isOutside]);
  if (isOutside)
    return (
      <Suspense>
        <Outside problem={here} />
      </Suspense>
    );
  return here ? <Opened key={here.workspaceId + here.actorId} here={here} /> : <Frame />;
}

/** Skeleton of the frame. */
function Frame() {
  return (
    <div className="app grid h-dvh md:grid-cols-[14.5rem_1fr]">
      <div className="hidden border-r border-line md:block" />
      <main>
        <Skeleton rows={12} />
      </main>
    </div>
  );
}

function Opened({ here }: { here: Here }) {
  const [replica, setReplica] = useState<Replica | null>(null);
  const { session } = useSession();
  useEffect(() => {
    let opened: Replica | null = null;
    let closed = false;
    const opening = [speak(here.language, navigator.language), page];
    Promise.all([Replica.open(here, domains, calls, keepFresh), ...opening]).then(([made]) => {
      opened = made;
      if (closed) return made.close();
      // Rows persisted by a version without a Project order.
      const isOlder = made.store.fact("cursor") && !made.store.get("project_order", here.workspaceId);
      if (isOlder) void loadWorkspace(made).catch(() => {});
      setReplica(made);
    });
    return () => {
      closed = true;
      opened?.close();
    };
  }, [here]);
  const language = useSyncExternalStore(onSpeak, spoken);
  const isOut = session.state === "out";
  useEffect(() => {
    if (isOut) replica?.signedOut();
    else void replica?.back();
  }, [replica, isOut]);
  if (!replica) return <Frame />;
  return (
    <ReplicaContext value={replica}>
      <Inside key={language} />
    </ReplicaContext>
  );
}

type Open = "palette" | "help" | "new" | "menu" | null;
function Inside() {
  const replica = useReplica();
  const [open, setOpen] = useState<Open>(null);
  const main = useRef<HTMLElement>(null);
  const close = () => setOpen(null);
  const address = useAddress();
  const { pathname, searchParams } = address;
  const task = searchParams.get("task");
  const isWhole = useStore((all) => all.isWhole);
  const talks = useTalking() && isWhole;
  const [isLater, setLater] = useState(false);
  useKeys([
    { keys: "mod+j", label: "keys.talk", always: true, run: toggleTalk },
    { keys: "mod+k", label: "keys.palette", always: true, run: () => setOpen("palette") },
    { keys: "c", label: "keys.newTask", run: () => setOpen("new") },
    { keys: "g h", label: "keys.home", run: () => go(within("")) },
    { keys: "g i", label: "keys.inbox", run: () => go(within("inbox")) },
    { keys: "g a", label: "keys.activity", run: () => go(within("activity")) },
    { keys: "g s", label: "keys.search", run: () => go(within("search")) },
    { keys: "g t", label: "keys.time", run: () => go(within("time")) },
    {
      keys: "shift+t",
      label: "keys.timer",
      run: () => {
        const zone = replica.store.fact<Home>("home")?.timezone;
        if (task && replica.store.fact<Timer>("timer")?.taskId !== task) startTimer(replica, task, zone);
        else stopTimer(replica, zone);
      },
    },
    { keys: "g d", label: "keys.documents", run: () => go(within("documents")) },
    { keys: "?", label: "keys.help", run: () => setOpen("help") },
    { keys: "mod+z", label: "keys.undo", run: () => replica.undo() },
    { keys: "mod+shift+z", label: "keys.redo", run: () => replica.redo() },
  ]);
  useEffect(() => {
    const timer = setTimeout(() => {
      void Panel.fetch();
      fetchNear();
      setLater(true);
      install();
    }, 500);
    return () => clearTimeout(timer);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes what was open over the one before.
  useEffect(close, [pathname]);
  useLayoutEffect(endPicture, []);
  usePicture(replica, isPictured(address) && !talks, address.href);
  return (
    <div className="app grid h-dvh grid-rows-[auto_1fr] md:grid-cols-[14.5rem_1fr] md:grid-rows-1">
      <a href="#main" className="sr-only focus:not-sr-only focus:fixed focus:z-10 focus:bg-card focus:p-2">
        {t("shell.skip")}
      </a>
      <div className="hidden min-h-0 border-r border-line md:block">
        <Sidebar open={setOpen} />
      </div>
      <MobileBar isOpen={open === "menu"} open={setOpen} />
      <div className="flex min-h-0 min-w-0 flex-col">
        <ConnectionLine />
        <div className="beside flex min-h-0 flex-1" data-talks={talks || undefined}>
          <main id="main" ref={main} tabIndex={-1} className="flex min-w-0 flex-1 flex-col bg-card outline-none">
            <Suspense fallback={<Skeleton rows={12} />}>
              <CurrentPage create={() => setOpen("new")} />
            </Suspense>
          </main>
          {task && (
            <Suspense>
              <Panel key={task} taskId={task} />
            </Suspense>
          )}
          {talks && (
            <Suspense>
              <Conversation />
            </Suspense>
          )}
        </div>
      </div>
      {open === "palette" && (
        <Suspense>
          <Palette close={close} open={setOpen} />
        </Suspense>
      )}
      <Suspense>{isLater && <Following />}</Suspense>
      {open === "help" && <Help close={close} />}
      {open === "new" && <NewTask close={close} />}
      <Toasts />
    </div>
  );
}
