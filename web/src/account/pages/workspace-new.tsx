// Creates a Workspace. The session enters the account's first one; further ones are Free or paid if plans are sold.

import type { Operations, Problem } from "@svc/client";
import { lazy, useEffect, useState } from "react";
import { type Plan, PlanChoice } from "../../billing/plan-choice.tsx";
import { say } from "../../messages/t.ts";
import { go, Link, useAddress } from "../../router.tsx";
import { Field, Form, type FormValues } from "../form.tsx";
import { Alert, Loading, Page } from "../page-elements.tsx";
import { SignedIn } from "../require-sign-in.tsx";
import { type Account, useSession } from "../session.tsx";
import { SLUG_LENGTH, slugFault, slugOf } from "../slug.ts";
import { svc } from "../svc.ts";

const TITLE = "Create a Workspace";

export type Workspace = Awaited<ReturnType<Operations["listWorkspaces"]>>["items"][number];

const WorkspaceBought = lazy(() =>
  import("./workspace-bought.tsx").then((file) => ({ default: file.WorkspaceBought })),
);

export function WorkspaceNew() {
  const checkout = useAddress().searchParams.get("checkout");
  return (
    <SignedIn title={say(TITLE)}>
      {(account) => (checkout ? <WorkspaceBought id={checkout} /> : <Create account={account} />)}
    </SignedIn>
  );
}

/** Creation options of an account: the first Workspace is Free, further ones depend on the offered plans. */
interface Offered {
  first: boolean;
  isFree: boolean;
  plans: readonly Plan[];
  /** Reason why the paid plans could not be read. */
  trouble: Problem | null;
}
async function offered({ workspace_id }: Account): Promise<Offered> {
  const first = workspace_id === null && (await svc.listWorkspaces({ limit: 1 })).items.length === 0;
  if (first) return { first, isFree: true, plans: [], trouble: null };
  const { free, paid } = await svc.getWorkspaceCreationOptions();
  const of = { first, isFree: !free.claimed, plans: [], trouble: null };
  if (paid.length === 0) return of;
  return svc.listBillingPlans().then(
    ({ items }) => ({ ...of, plans: items.filter(({ key }) => paid.some(({ plan }) => plan === key)) }),
    (trouble: Problem) => ({ ...of, trouble }),
  );
}

function Create({ account }: { account: Account }) {
  const { refresh } = useSession();
  const [offer, setOffer] = useState<Offered | Problem | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [slug, setSlug] = useState("");
  const [typed, setTyped] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once.
  useEffect(() => {
    offered(account).then(setOffer, setOffer);
  }, []);

  if (offer === null || !("plans" in offer))
    return <Page title={say(TITLE)}>{offer ? <Alert problem={offer} /> : <Loading />}</Page>;
  const { first, isFree, plans, trouble } = offer;
  if (trouble && !isFree)
    return (
      <Page title={say(TITLE)}>
        <Alert problem={trouble} />
      </Page>
    );
  const plan = chosen ?? (isFree || plans.length === 0 ? "free" : (plans[0]?.key ?? "free"));

  async function send({ name = "" }: FormValues) {
    const body = { name: name.trim(), slug };
    if (plan !== "free") {
      const wanted = { ...body, plan: plan as "team" | "business", return_path: "/workspaces/new" };
      const { url } = await svc.createWorkspaceCheckout(wanted);
      if (url !== null) location.assign(url);
      // Stays busy until the page unloads, or the visitor navigates back to it.
      await new Promise((back) => addEventListener("pageshow", back, { once: true }));
      return;
    }
    const made = await (first ? svc.bootstrapWorkspace(body) : svc.createWorkspace(body));
    await refresh();
    go(first ? "/" : `/workspaces/${made.slug}`, { replace: true });
  }
  return (
    <Page
      title={say(TITLE)}
      lead={
        first
          ? say("Welcome, {name}. Everything you work on lives in a Workspace.", { name: account.display_name })
          : undefined
      }
    >
      {trouble && <Alert problem={trouble} />}
      <Form
        action={plan === "free" ? say("Create Workspace") : say("Continue to payment")}
        working={plan === "free" ? say("Creating …") : say("One moment …")}
        label={say(TITLE)}
        check={({ name }) => ({
          name: name?.trim() ? null : say("Enter a name, for example that of your team."),
          slug: slugFault(slug),
        })}
        send={send}
      >
        <Field
          name="name"
          label={say("Name")}
          autoComplete="organization"
          maxLength={100}
          onChange={(event) => typed || setSlug(slugOf(event.currentTarget.value))}
        />
        <Field
          name="slug"
          label={say("Address")}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={SLUG_LENGTH}
          value={slug}
          onChange={(event) => {
            setTyped(event.currentTarget.value !== "");
            setSlug(event.currentTarget.value.toLowerCase());
          }}
        >
          <p className="break-all">
            <span className="sr-only">{say("It will be")} </span>
            {location.host}/<strong className="text-ink">{slug || "…"}</strong>
          </p>
          <p>{say("Lowercase letters, digits and hyphens. You can change it later.")}</p>
        </Field>
        {plans.length > 0 && (
          <PlanChoice plans={plans} isFree={isFree} locale={account.locale} chosen={plan} choose={setChosen} />
        )}
      </Form>
      {!first && (
        <p className="mt-6 text-center">
          <Link to="/">{say("Back")}</Link>
        </p>
      )}
    </Page>
  );
}
