// First steps: an empty Project with a first Task to complete, or an example Project. Both use the usual operations and
// can be undone.
import { newKey } from "@svc/client";
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { go } from "../../router.tsx";
import { useReplica, useStore } from "../../store/react.ts";
import { create } from "../../tasks/actions.ts";
import { draftTask } from "../../tasks/new-task.tsx";
import { projectPath } from "../../ui/address.ts";
import { Button } from "../../ui/controls.tsx";
import type { PageProps } from "../page-props.ts";
import { useWorkspaceName } from "../sidebar/use-workspace-name.ts";
import { exampleTasks } from "./example.ts";

/** Suggests a key: the initials of the words, or the first letters of a single word. */
function keyOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9 ]/g, "")
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  const letters = words.length > 1 ? words.map(([first]) => first).join("") : (words[0] ?? "").slice(0, 4);
  const key = letters
    .replace(/^[0-9]+/, "")
    .slice(0, 10)
    .toUpperCase();
  return key.length === 1 ? `${key}${key}` : key;
}

const KEY = /^[A-Za-z][A-Za-z0-9]{1,9}$/;
/** Lazy, because few people need it, and only once. */
const Import = lazy(() => import("./import/import.tsx").then((found) => ({ default: found.Import })));

export function Start({ create: openNew }: PageProps) {
  const replica = useReplica();
  const workspace = useWorkspaceName();
  const isFirst = useStore(({ store }) => store.all("project").next().done === true);
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const key = typed ?? keyOf(name);
  useEffect(() => {
    document.title = `${t("shell.newProject")} · svc`;
  }, []);

  function make(project: { name: string; key: string }): string {
    const { workspaceId } = replica.member;
    return replica.make("createProject", { input: { workspace_id: workspaceId, ...project }, creates: true });
  }
  /** Creates the typed Project, or returns null and shows the missing input. */
  function typedProject(): string | null {
    setFault(name.trim() === "" ? t("start.nameMissing") : KEY.test(key) ? null : t("start.keyFault"));
    if (name.trim() !== "" && KEY.test(key)) return make({ name: name.trim(), key: key.toUpperCase() });
    field.current?.focus();
    return null;
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    const id = typedProject();
    if (id === null) return;
    draftTask({ title: t("start.firstTask"), projectId: id });
    go(projectPath(key.toUpperCase()));
    // Waits until the board has opened.
    setTimeout(openNew);
  }
  function example() {
    const taken = new Set([...replica.store.all("project")].map((project) => project.key));
    const free =
      ["DEMO", ..."123456789".split("").map((digit) => `DEMO${digit}`)].find((each) => !taken.has(each)) ?? "DEMO";
    const id = make({ name: t("start.exampleName"), key: free });
    // New Tasks go to the top of their column: creating them in reverse puts the first suggestion on top.
    const batch = newKey();
    for (const task of exampleTasks(replica.store, replica.member.actorId).toReversed())
      create(replica, id, task, batch);
    go(projectPath(free));
  }
  return (
    <div className="mx-auto w-full max-w-xl overflow-y-auto px-6 py-12">
      <h1 className="text-24 font-semibold tracking-tight">
        {isFirst ? t("start.title", { name: workspace }) : t("shell.newProject")}
      </h1>
      <p className="mt-2 text-14 text-soft">{t("start.lead")}</p>
      <form onSubmit={submit} noValidate className="mt-8 space-y-4 rounded-xl border border-line p-4">
        <label className="block">
          <span className="mb-1 block font-medium">{t("start.name")}</span>
          <input
            ref={field}
            value={name}
            maxLength={200}
            placeholder={t("start.nameExample")}
            onChange={(event) => setName(event.target.value)}
            className="field w-full"
          />
        </label>
        <label className="block">
          <span className="mb-1 block font-medium">{t("start.key")}</span>
          <input
            value={key}
            maxLength={10}
            onChange={(event) => setTyped(event.target.value.toUpperCase())}
            className="field w-32 uppercase"
          />
          <span className="mt-1 block text-12 text-soft">{t("start.keyHelp", { key: key || "WEB" })}</span>
        </label>
        {fault && (
          <p role="alert" className="text-bad">
            {fault}
          </p>
        )}
        <Button look="first" type="submit">
          {t("start.create")}
        </Button>
      </form>
      <div className="mt-4 rounded-xl border border-line p-4">
        <Button onClick={example}>{t("start.example")}</Button>
        <p className="mt-2 text-12 text-soft">{t("start.exampleHelp")}</p>
      </div>
      <Suspense>
        <Import project={typedProject} done={() => go(projectPath(key.toUpperCase()))} />
      </Suspense>
    </div>
  );
}
