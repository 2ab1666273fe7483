// Return page of the payment provider: polls until the purchased Workspace exists, and opens it. No payment happens
// here.
import type { Problem } from "@svc/client";
import { useEffect, useState } from "react";
import { say } from "../../messages/t.ts";
import { go, Link } from "../../router.tsx";
import { Alert, Loading, Notice, Page } from "../page-elements.tsx";
import { useSession } from "../session.tsx";
import { svc } from "../svc.ts";

const AGAIN_MS = 1500;
/** After this time the page says that there is no need to wait. */
const LONG_MS = 20_000;

export function WorkspaceBought({ id }: { id: string }) {
  const { refresh } = useSession();
  const [state, setState] = useState<"open" | "completed" | "expired" | Problem | null>(null);
  const [isLong, setLong] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each checkout, whoever draws this.
  useEffect(() => {
    let isHere = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = setTimeout(() => setLong(true), LONG_MS);
    const look = async () => {
      const found = await svc.getWorkspaceCheckout({ checkout_id: id });
      if (!isHere) return;
      setState(found.state);
      if (found.state === "open") timer = setTimeout(read, AGAIN_MS);
      if (found.workspace_id !== null) await enter(found.workspace_id);
    };
    /** Reads the slug from the service: the requested one may have been taken meanwhile. */
    const enter = async (workspaceId: string) => {
      const { items } = await svc.listWorkspaces({ limit: 100 });
      const slug = items.find((workspace) => workspace.id === workspaceId)?.slug;
      await refresh();
      if (isHere) go(slug ? `/workspaces/${slug}` : "/", { replace: true });
    };
    const read = () =>
      look().catch((problem: Problem) => {
        if (!isHere) return;
        // Network and overload errors are temporary: the payment continues, so poll again.
        const passes = problem.status === 0 || problem.status === 429 || problem.status >= 500;
        if (passes) timer = setTimeout(read, 2 * AGAIN_MS);
        else setState(problem);
      });
    void read();
    return () => {
      isHere = false;
      clearTimeout(timer);
      clearTimeout(late);
    };
  }, [id]);

  const title = say("Your new Workspace");
  if (state === null)
    return (
      <Page title={title}>
        <Loading />
      </Page>
    );
  return (
    <Page title={title}>
      {typeof state === "object" ? (
        <Alert problem={state} />
      ) : (
        <div data-checkout={state}>
          {state === "expired" ? (
            <Notice tone="bad" title={say("Nothing was paid")}>
              {say("The page of the payment provider was left, or has expired.")}
            </Notice>
          ) : (
            <p role="status" aria-busy="true">
              {state === "open" ? say("Your payment is being confirmed …") : say("It is there. One moment …")}
            </p>
          )}
          {state === "open" && isLong && (
            <p className="mt-3 text-soft">
              {say("This takes longer than usual. You need not wait: the Workspace appears among yours.")}
            </p>
          )}
        </div>
      )}
      <p className="mt-6 text-center">
        {state === "expired" ? (
          <Link to="/workspaces/new">{say("Choose again")}</Link>
        ) : (
          <Link to="/">{say("Back")}</Link>
        )}
      </p>
    </Page>
  );
}
