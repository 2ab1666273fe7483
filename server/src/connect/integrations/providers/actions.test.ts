// Provider actions: requests match the provider's published description, actions are found again by their marker, and
// every failure maps to one of the faults. Answers are as GitHub, Gitea and Slack publish them
// (test/providers/published.ts); GitLab's API v4 and Sentry's API 0 publish no package, and are unverified.
import { afterAll, describe, expect, test } from "vitest";
import type { Gitea, GitHub, Slack } from "../../../../test/providers/published.ts";
import { type Failing, standIn } from "../../../../test/providers/stand-in.ts";
import { egressTo } from "../../../platform/outside/egress.ts";
import { newId } from "../../../platform/wire/ids.ts";
import type { ProviderAction, Resource } from "../client/provider.ts";
import { asking, ProviderFault } from "../client/provider-http.ts";
import { faultsOfInput, isMarked, markerOf } from "../send/action-rules.ts";
import { errtrackActions } from "./errtrack/actions.ts";
import { giteaActions } from "./gitea/actions.ts";
import { githubActions } from "./github/actions.ts";
import { gitlabActions } from "./gitlab/actions.ts";
import { slackActions } from "./slack/actions.ts";

const provider = await standIn();
afterAll(provider.close);
/** How the calls that write fail. */
let failure: Failing | null = null;
const reach = egressTo({ allow: [provider.origin] });
const ask = asking({
  egress: (url, limits) => {
    if (failure !== null && limits?.method !== "GET") provider.fail(failure);
    return reach(url, limits);
  },
  api: provider.origin,
  credential: { authorization: "Bearer t" },
});

const resource = (externalId: string, name: string): Resource => ({ externalId, name, kind: "repository", url: null });
const repository = resource("42", "acme/gears");
const channel = resource("C1", "general");
const errors = resource("7", "web");
const SHA = "a".repeat(40);
const status = { sha: SHA, state: "failure", context: "svc", url: "https://svc.example/1" };
const error = { id: "12", project: { id: "7", slug: "web" }, permalink: "https://errors.example/12" };
const page = "https://git.example/1";

/** An action, what it is told, how it asks, what is answered to that, and what was made. */
interface Case {
  action: ProviderAction;
  at: Resource;
  input: Record<string, unknown>;
  route: string;
  sent: Record<string, unknown>;
  answer: Record<string, unknown>;
  made: { externalId: string; url: string | null };
  /** Where it is looked for, and how what was made stands there. */
  listed?: [string, (sent: Record<string, unknown>) => unknown];
}
type Hub<Kind extends "comment" | "issue" | "status"> = GitHub[Kind] & Gitea[Kind];
const hub = (name: string, actions: typeof githubActions, comments: string): Record<string, Case> => ({
  [`${name} comment`]: {
    action: actions.comment,
    at: repository,
    input: { number: 3, text: "Shipped" },
    route: "POST /repos/acme/gears/issues/3/comments",
    sent: { body: expect.stringMatching(/^Shipped\n\n<!--/) },
    answer: { id: 99, html_url: page } satisfies Hub<"comment">,
    made: { externalId: "99", url: page },
    listed: [
      comments,
      ({ body }) => [
        { id: 98, body: null },
        { id: 99, html_url: page, body },
      ],
    ],
  },
  [`${name} create_issue`]: {
    action: actions.create_issue,
    at: repository,
    input: { title: "Broken" },
    route: "POST /repos/acme/gears/issues",
    sent: { title: "Broken", body: expect.stringContaining("svc-action-") },
    answer: { id: 5, number: 4, html_url: page } satisfies Hub<"issue">,
    made: { externalId: "4", url: page },
    listed: ["GET /repos/acme/gears/issues", ({ body }) => [{ id: 5, number: 4, html_url: page, body }]],
  },
  [`${name} close_issue`]: {
    action: actions.close_issue,
    at: repository,
    input: { number: 3 },
    route: "PATCH /repos/acme/gears/issues/3",
    sent: { state: "closed" },
    answer: { id: 5, number: 3, html_url: page } satisfies Hub<"issue">,
    made: { externalId: "3", url: page },
  },
  [`${name} set_status`]: {
    action: actions.set_status,
    at: repository,
    input: status,
    route: `POST /repos/acme/gears/statuses/${SHA}`,
    sent: { state: "failure", context: "svc", target_url: status.url },
    answer: { id: 8, target_url: status.url } satisfies Hub<"status">,
    made: { externalId: "8", url: status.url },
  },
});
const metadata = (marker: string) => ({ event_type: "svc_action", event_payload: { marker } });
const posted = (sent: Record<string, unknown>): Slack["history"] => ({
  ok: true,
  messages: [{ ts: "1.1" }, { ts: "2.5", ...sent }],
});

const cases: Record<string, Case> = {
  ...hub("github", githubActions, "GET /repos/acme/gears/issues/comments"),
  ...hub("gitea", giteaActions, "GET /repos/acme/gears/issues/3/comments"),
  "gitlab comment": {
    action: gitlabActions.comment,
    at: repository,
    input: { number: 3, text: "Shipped" },
    route: "POST /projects/42/merge_requests/3/notes",
    sent: { body: expect.stringMatching(/^Shipped\n\n<!--/) },
    answer: { id: 99 },
    made: { externalId: "99", url: null },
    listed: ["GET /projects/42/merge_requests/3/notes", ({ body }) => [{ id: 99, body }]],
  },
  "gitlab comment on an issue": {
    action: gitlabActions.comment,
    at: repository,
    input: { number: 3, text: "Shipped", on: "issue" },
    route: "POST /projects/42/issues/3/notes",
    sent: { body: expect.stringMatching(/^Shipped/) },
    answer: { id: 99 },
    made: { externalId: "99", url: null },
  },
  "gitlab create_issue": {
    action: gitlabActions.create_issue,
    at: repository,
    input: { title: "Broken", text: "Why" },
    route: "POST /projects/42/issues",
    sent: { title: "Broken", description: expect.stringMatching(/^Why/) },
    answer: { id: 900, iid: 4, web_url: page },
    made: { externalId: "4", url: page },
    listed: ["GET /projects/42/issues", ({ description }) => [{ iid: 4, web_url: page, description }]],
  },
  "gitlab close_issue": {
    action: gitlabActions.close_issue,
    at: repository,
    input: { number: 4 },
    route: "PUT /projects/42/issues/4",
    sent: { state_event: "close" },
    answer: { iid: 4, web_url: page },
    made: { externalId: "4", url: page },
  },
  "gitlab set_status": {
    action: gitlabActions.set_status,
    at: repository,
    input: status,
    route: `POST /projects/42/statuses/${SHA}`,
    sent: { state: "failed", name: "svc", target_url: status.url },
    answer: { id: 8, target_url: status.url },
    made: { externalId: "8", url: status.url },
    listed: [
      `GET /projects/42/repository/commits/${SHA}/statuses`,
      () => [{ id: 8, name: "svc", status: "failed", target_url: status.url }],
    ],
  },
  "slack post_message": {
    action: slackActions.post_message,
    at: channel,
    input: { text: "<!channel> & <@U1>" },
    route: "POST /chat.postMessage",
    sent: { channel: "C1", text: "&lt;!channel&gt; &amp; &lt;@U1&gt;", metadata: metadata(expect.any(String)) },
    answer: { ok: true, channel: "C1", ts: "2.5" } satisfies Slack["posted"],
    made: { externalId: "C1:2.5", url: null },
    listed: ["GET /conversations.history", posted],
  },
  "slack reply": {
    action: slackActions.reply,
    at: channel,
    input: { text: "Done", thread_ts: "1.1" },
    route: "POST /chat.postMessage",
    sent: { channel: "C1", text: "Done", thread_ts: "1.1" },
    answer: { ok: true, ts: "2.5" } satisfies Slack["posted"],
    made: { externalId: "C1:2.5", url: null },
    listed: ["GET /conversations.replies", posted],
  },
  "slack unfurl": {
    action: slackActions.unfurl,
    at: channel,
    route: "POST /chat.unfurl",
    answer: { ok: true } satisfies Slack["unfurled"],
    input: { ts: "2.5", links: [{ url: page, title: "ENG-1 <b>", text: "Todo" }] },
    sent: {
      channel: "C1",
      ts: "2.5",
      unfurls: { [page]: { title: "ENG-1 &lt;b&gt;", title_link: page, text: "Todo" } },
    },
    made: { externalId: "C1:2.5", url: null },
  },
  "errtrack resolve": {
    action: errtrackActions.resolve,
    at: errors,
    input: { issue: "12" },
    route: "PUT /issues/12/",
    sent: { status: "resolved" },
    answer: error,
    made: { externalId: "12", url: error.permalink },
  },
  "errtrack assign": {
    action: errtrackActions.assign,
    at: errors,
    input: { issue: "12", to: "ada" },
    route: "PUT /issues/12/",
    sent: { assignedTo: "ada" },
    answer: {},
    made: { externalId: "12", url: null },
  },
  "errtrack comment": {
    action: errtrackActions.comment,
    at: errors,
    input: { issue: "12", text: "Seen" },
    answer: { id: "9" },
    route: "POST /issues/12/comments/",
    sent: { text: expect.stringMatching(/^Seen/) },
    made: { externalId: "9", url: null },
    listed: ["GET /issues/12/comments/", ({ text }) => [{ id: "9", data: { text } }]],
  },
};
provider.on("GET /issues/12/", error);

describe.each(Object.entries(cases))("%s", (_name, { action, at, input, route, sent, answer, made, listed }) => {
  const marker = markerOf(newId());
  const perform = () => action.perform(ask, at, input as never, marker);
  test("is done once, with what was asked for", async () => {
    expect(faultsOfInput(action, input)).toEqual([]);
    provider.on(route, answer);
    provider.asked.length = 0;
    expect(await perform()).toEqual(made);
    const [written, ...more] = provider.written();
    expect([written?.body, `${written?.method} ${written?.path}`, more]).toMatchObject([sent, route, []]);
    expect(written?.headers.authorization).toBe("Bearer t");
  });

  test("is found by its marker, and only by its own", async () => {
    if (!listed) return expect(action.keyed || action === gitlabActions.comment).toBe(true);
    const [list, shown] = listed;
    const written = provider.written().at(-1)?.body as Record<string, unknown>;
    provider.on(list, shown(written));
    expect(await action.find?.(ask, at, marker, input as never)).toEqual(made);
    const found = action === gitlabActions.set_status ? made : null;
    expect(await action.find?.(ask, at, markerOf(newId()), input as never)).toEqual(found);
    provider.on(list, list.includes("/conversations.") ? { ok: true } : { not: "a list" });
    expect(await action.find?.(ask, at, marker, input as never)).toBeNull();
  });

  test("an input that does not fit is none", () => {
    expect(faultsOfInput(action, { ...input, more: 1 })).toMatchObject([{ pointer: "/body/input/more" }]);
    expect(faultsOfInput(action, {}).length).toBeGreaterThan(0);
  });

  test("of an answer that says nothing good nobody knows whether it was done", async () => {
    provider.on(route, answer);
    for (const way of ["reset", "cut", "html", "huge", "wrong", { status: 500 }] as const) {
      failure = way;
      const before = provider.written().length;
      const fault = await perform().then(
        (done) => done,
        (error) => (error instanceof ProviderFault ? error : Promise.reject(error)),
      );
      failure = null;
      expect(fault, JSON.stringify(way)).toMatchObject({ code: way === "huge" ? "answer_too_large" : "unknown" });
      expect(provider.written().length - before).toBe(1);
    }
  });
});

test("what is refused in Slack's way is a fault of its kind", async () => {
  const refused: [string, string][] = [
    ["token_revoked", "credential_refused"],
    ["channel_not_found", "resource_missing"],
    ["msg_too_long", "refused"],
    ["ratelimited", "rate_limited"],
    ["fatal_error", "unknown"],
  ];
  for (const [error, code] of refused) {
    provider.on("POST /chat.postMessage", { ok: false, error });
    const posting = slackActions.post_message.perform(ask, channel, { text: "a" } as never, "m");
    await expect(posting, error).rejects.toMatchObject({ code });
  }
});

test("an error of another project than the bound one is not there", async () => {
  provider.on("GET /issues/12/", { ...error, project: { id: "8", slug: "other" } });
  for (const action of Object.values(errtrackActions)) {
    const before = provider.written().length;
    const doing = action.perform(ask, errors, { issue: "12", text: "a", to: "b" } as never, "m");
    await expect(doing).rejects.toMatchObject({ code: "resource_missing" });
    expect(provider.written()).toHaveLength(before);
  }
});

test("a repository whose name is no path is not there", async () => {
  for (const name of ["acme", "../..", "acme/..", "a/b/c", "/b"])
    await expect(
      githubActions.comment.perform(ask, resource("1", name), { number: 1, text: "a" } as never, "m"),
    ).rejects.toMatchObject({ code: "resource_missing" });
});

test("what carries a marker is known as ours", () => {
  expect([isMarked(`x <!-- ${markerOf(newId())} -->`), isMarked("svc-action-1"), isMarked("")]).toEqual([
    true,
    false,
    false,
  ]);
});
