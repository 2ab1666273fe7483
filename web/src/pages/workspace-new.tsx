// Create a Workspace: the first one of an account, which its session then enters, or a further one.

import type { Operations, Problem } from "@svc/client";
import { useEffect, useState } from "react";
import { Field, Form, type Values } from "../form.tsx";
import { say } from "../messages/t.ts";
import { Alert, Loading, Page } from "../parts.tsx";
import { go, Link } from "../router.tsx";
import { type Account, useSession } from "../session.tsx";
import { SignedIn } from "../signed-in.tsx";
import { SLUG_LENGTH, slugFault, slugOf } from "../slug.ts";
import { svc } from "../svc.ts";

const TITLE = "Create a Workspace";

export type Workspace = Awaited<ReturnType<Operations["listWorkspaces"]>>["items"][number];

export function WorkspaceNew() {
  return <SignedIn title={say(TITLE)}>{(account) => <Create account={account} />}</SignedIn>;
}

function Create({ account }: { account: Account }) {
  const { refresh } = useSession();
  const [first, setFirst] = useState<boolean | Problem | null>(account.workspace_id === null ? null : false);
  const [slug, setSlug] = useState("");
  const [typed, setTyped] = useState(false);
  useEffect(() => {
    if (first === null) svc.listWorkspaces({ limit: 1 }).then(({ items }) => setFirst(items.length === 0), setFirst);
  }, [first]);

  if (first === null || typeof first === "object")
    return <Page title={say(TITLE)}>{first ? <Alert problem={first} /> : <Loading />}</Page>;

  async function send({ name = "" }: Values) {
    const body = { name: name.trim(), slug };
    await (first ? svc.bootstrapWorkspace(body) : svc.createWorkspace(body));
    await refresh();
    go("/", { replace: true });
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
      <Form
        action={say("Create Workspace")}
        working={say("Creating …")}
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
      </Form>
      {!first && (
        <p className="mt-6 text-center">
          <Link to="/">{say("Back")}</Link>
        </p>
      )}
    </Page>
  );
}
