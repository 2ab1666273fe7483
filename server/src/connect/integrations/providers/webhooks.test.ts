// How deliveries of each provider are proved and understood. GitHub's come from its published examples; those of the
// others are written from the shapes that their documentation shows (unverified).
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { githubDeliveries } from "../../../../test/providers/github-deliveries.ts";
import { newWebhookSecret, signed } from "../../../platform/wire/standard-webhooks.ts";
import type { Webhook } from "../client/provider.ts";
import { webhook as errtrack } from "./errtrack/webhook.ts";
import { webhook as gitea } from "./gitea/webhook.ts";
import { webhook as github } from "./github/webhook.ts";
import { webhook as gitlab } from "./gitlab/webhook.ts";
import { webhook as slack } from "./slack/webhook.ts";
import { parsedBody } from "./untrusted-fields.ts";

const [SECRET, OTHER] = [newWebhookSecret(), newWebhookSecret()];
const now = new Date("2026-11-17T12:00:00Z");
const seconds = String(now.getTime() / 1000);
const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");
const body = '{"a":1}';
const bytes = Buffer.from(body);

describe("a signature", () => {
  const old = String(now.getTime() / 1000 - 301);
  const v0 = (time: string) => ({
    "x-slack-request-timestamp": time,
    "x-slack-signature": `v0=${hmac(SECRET, `v0:${time}:${body}`)}`,
  });
  const standard = signed([SECRET], "1", bytes, now);
  const late = signed([SECRET], "1", bytes, new Date(now.getTime() - 301_000));
  const sentry = `sentry:${SECRET}`;
  const github256 = { "x-hub-signature-256": `sha256=${hmac(SECRET, body)}` };
  test.each<[string, Webhook, Record<string, string>, Record<string, string>[], string?]>([
    [
      "GitHub's",
      github,
      github256,
      [{ "x-hub-signature": `sha1=${hmac(SECRET, body)}` }, { "x-hub-signature-256": hmac(SECRET, body) }],
    ],
    [
      "GitLab's token",
      gitlab,
      { "x-gitlab-token": SECRET },
      [{ "x-gitlab-token": `${SECRET}x` }, { "x-gitlab-token": "" }],
    ],
    [
      "GitLab's signed form",
      gitlab,
      standard,
      [
        late,
        { ...standard, "webhook-id": "2" },
        { ...standard, "webhook-signature": "v1,x", "x-gitlab-token": SECRET },
      ],
    ],
    [
      "Gitea's",
      gitea,
      { "x-gitea-signature": hmac(SECRET, body) },
      [{ "x-gitea-signature": `sha256=${hmac(SECRET, body)}` }],
    ],
    [
      "Slack's",
      slack,
      v0(seconds),
      [v0(old), v0(`${Number(seconds) + 301}`), { ...v0(seconds), "x-slack-request-timestamp": old }],
    ],
    ["an error tracker's", errtrack, standard, [late, { "sentry-hook-signature": hmac(SECRET, body) }]],
    [
      "Sentry's, where it was chosen",
      errtrack,
      { "sentry-hook-signature": hmac(SECRET, body) },
      [standard, { "sentry-hook-signature": hmac(sentry, body) }],
      sentry,
    ],
  ])("%s is taken, and no other", (_name, webhook, good, bad, secret = SECRET) => {
    expect(webhook.verify(good, bytes, secret, now)).toBe(true);
    expect(webhook.verify(good, bytes, secret.replace(SECRET, OTHER), now)).toBe(false);
    if (good["x-gitlab-token"] === undefined)
      expect(webhook.verify(good, Buffer.from(`${body} `), secret, now)).toBe(false);
    for (const headers of [...bad, {}]) expect(webhook.verify(headers, bytes, secret, now)).toBe(false);
  });
});

describe("GitHub's published examples", () => {
  const d = githubDeliveries;
  const REPOSITORY = "186853002";
  test("say which installation and repository they are of, also as a form", () => {
    const headers = { "x-github-event": "push", "x-github-delivery": "1" };
    const wanted = { key: null, account: "1", lane: REPOSITORY, kind: "push" };
    expect(github.read(headers, d.push)).toEqual(wanted);
    const form = new URLSearchParams({ payload: JSON.stringify(d.push) });
    expect(github.read(headers, parsedBody(Buffer.from(String(form))))).toEqual(wanted);
    expect(github.read({}, d.push)).toBeNull();
    expect(github.read(headers, d.create)).toBeNull();
    expect(github.challenge?.(d.ping)).toEqual({});
    expect(github.challenge?.(d.push)).toBeNull();
  });
  test("a pull request: opened, asked for review, merged, closed", () => {
    const by = { externalId: "21031067", name: "Codertocat", writes: true };
    const opened = github.happened("pull_request", d.pull_request);
    const texts = [d.pull_request.pull_request.title, d.pull_request.pull_request.body, "changes"];
    const externalId = `${REPOSITORY}#2`;
    expect(opened).toMatchObject([
      {
        what: "entity",
        resource: REPOSITORY,
        by,
        step: "opened",
        texts,
        entity: { externalId, state: "open", url: "https://github.com/Codertocat/Hello-World/pull/2" },
      },
    ]);
    const changed = (action: string, change: object) =>
      github.happened("pull_request", {
        ...d.pull_request,
        action,
        pull_request: { ...d.pull_request.pull_request, ...change },
      })[0];
    expect(changed("review_requested", {})).toMatchObject({ step: "review" });
    expect(changed("closed", { state: "closed", merged: true })).toMatchObject({
      step: "merged",
      entity: { state: "merged" },
    });
    expect(changed("closed", { state: "closed" })).toMatchObject({ step: "closed", entity: { state: "closed" } });
    expect(changed("opened", { draft: true })).toMatchObject({ entity: { state: "draft" } });
    expect(changed("labeled", {})).toMatchObject({ step: null });
    for (const author_association of ["NONE", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR"])
      expect(changed("opened", { author_association }), "it is asked").not.toHaveProperty("by.writes");
    // Whoever merges somebody's may write.
    const merge = { author_association: "NONE", state: "closed", merged: true, user: { id: 5, login: "stranger" } };
    expect(changed("closed", merge)).toMatchObject({ by: { writes: true }, step: "merged" });
  });
  test("branches and commits that may name a Task", () => {
    const [commit] = d.push.commits;
    const commits = [commit, { ...commit, id: "2", message: "Fix ENG-1\n\nLong" }];
    expect(github.happened("push", { ...d.push, commits })).toMatchObject([
      { entity: { kind: "branch", externalId: `${REPOSITORY}:master`, state: "open" }, texts: ["master"] },
      { entity: { kind: "commit", externalId: "2", title: "Fix ENG-1", changedAt: "2019-05-15T15:19:25.000Z" } },
    ]);
    expect(github.happened("push", { ...d.push, ref: "refs/tags/v1" })).toEqual([]);
    expect(github.happened("create", d.create), "a tag").toEqual([]);
    const branch = { ...d.create, ref: "eng-1/a b", ref_type: "branch" };
    expect(github.happened("create", branch)).toMatchObject([
      { entity: { title: "eng-1/a b", url: "https://github.com/Codertocat/Hello-World/tree/eng-1/a%20b" } },
    ]);
    expect(github.happened("delete", branch)).toMatchObject([{ entity: { state: "deleted" } }]);
  });
  test("checks, comments of people, and the end of the installation", () => {
    expect(github.happened("check_suite", d.check_suite)).toMatchObject([
      {
        what: "checks",
        checks: "passing",
        of: [{ externalId: `${REPOSITORY}#2` }, { kind: "commit" }, { externalId: `${REPOSITORY}:changes` }],
      },
    ]);
    const failed = { ...d.check_suite, check_suite: { ...d.check_suite.check_suite, conclusion: "timed_out" } };
    expect(github.happened("check_suite", failed)).toMatchObject([{ checks: "failing" }]);
    expect(github.happened("status", d.status)).toMatchObject([{ what: "checks", checks: "passing" }]);
    const onPull = { ...d.issue_comment, issue: { ...d.issue_comment.issue, pull_request: { url: "" } } };
    expect(github.happened("issue_comment", onPull)).toMatchObject([
      { what: "comment", on: { kind: "pull_request" }, comment: { text: d.issue_comment.comment.body } },
    ]);
    const bot = { ...onPull, comment: { ...onPull.comment, user: { ...onPull.comment.user, type: "Bot" } } };
    expect(github.happened("issue_comment", bot)).toEqual([]);
    expect(github.happened("installation", d.installation)).toEqual([{ what: "removed" }]);
    expect(github.happened("installation_repositories", d.installation_repositories)).toEqual([
      { what: "resources_changed" },
    ]);
    for (const kind of ["star", "constructor", "__proto__"]) expect(github.happened(kind, {})).toEqual([]);
  });
});

test("GitLab's merge requests, pushes, pipelines and notes", () => {
  const project = { id: 15, web_url: "https://gitlab.example.com/a/b" };
  const user = { id: 4, username: "ada" };
  const merge = {
    iid: 7,
    title: "ENG-1",
    state: "opened",
    action: "open",
    source_branch: "x",
    url: `${project.web_url}/-/merge_requests/7`,
    updated_at: "2026-11-17 11:00:00 UTC",
  };
  const told = (attributes: object, more: object = {}) =>
    gitlab.happened("Merge Request Hook", {
      project,
      user,
      object_attributes: { ...merge, ...attributes },
      ...more,
    })[0];
  expect(told({})).toMatchObject({
    resource: "15",
    step: "opened",
    entity: { externalId: "15#7", state: "open", changedAt: "2026-11-17T11:00:00.000Z" },
  });
  expect(told({})?.what === "entity" && told({}), "it does not say whether they may write").not.toHaveProperty(
    "by.writes",
  );
  expect(told({ action: "merge", state: "merged" })).toMatchObject({
    step: "merged",
    by: { writes: true },
    entity: { state: "merged" },
  });
  const asked = { changes: { reviewers: { previous: [], current: [{ id: 1 }] } } };
  expect(told({ action: "update" }, asked)).toMatchObject({ step: "review" });
  expect(told({ action: "update", draft: true }, asked)).toMatchObject({ step: null });
  const push = {
    project,
    ref: "refs/heads/eng-1",
    after: "0".repeat(40),
    user_id: 4,
    user_username: "ada",
    commits: [],
  };
  expect(gitlab.happened("Push Hook", push)).toMatchObject([{ by: { writes: true }, entity: { state: "deleted" } }]);
  const pipeline = {
    project,
    object_attributes: { status: "failed", sha: "a", ref: "eng-1" },
    merge_request: { iid: 7 },
  };
  expect(gitlab.happened("Pipeline Hook", pipeline)).toMatchObject([
    { checks: "failing", of: [{}, { externalId: "15#7" }, { externalId: "15:eng-1" }] },
  ]);
  const note = {
    project,
    user,
    merge_request: { iid: 7 },
    object_attributes: { id: 3, note: "Well", url: "https://gitlab.example.com/n" },
  };
  expect(gitlab.happened("Note Hook", note)).toMatchObject([
    { on: { externalId: "15#7" }, comment: { externalId: "3", text: "Well" } },
  ]);
  expect(
    gitlab.happened("Note Hook", { ...note, object_attributes: { ...note.object_attributes, system: true } }),
  ).toEqual([]);
});

test("Gitea's pull requests say nothing of who may write until one is merged", () => {
  const repository = { id: 3, html_url: "https://git.example.com/a/b" };
  const pull_request = {
    number: 2,
    title: "ENG-1",
    state: "open",
    html_url: "https://git.example.com/a/b/pulls/2",
    user: { login: "bob" },
  };
  const sender = { id: 9, login: "bob" };
  const [opened] = gitea.happened("pull_request", { action: "opened", repository, sender, pull_request });
  expect(opened).toMatchObject({ step: "opened", entity: { externalId: "3#2", state: "open" } });
  expect(opened).not.toHaveProperty("by.writes");
  const merged = {
    action: "closed",
    repository,
    sender,
    pull_request: { ...pull_request, state: "closed", merged: true },
  };
  expect(gitea.happened("pull_request", merged)).toMatchObject([{ step: "merged", by: { writes: true } }]);
  const comment = {
    action: "created",
    is_pull: true,
    repository,
    issue: { number: 2 },
    comment: { id: 8, body: "Well", user: sender },
  };
  expect(gitea.happened("issue_comment", comment)).toMatchObject([
    { on: { externalId: "3#2" }, comment: { externalId: "8" } },
  ]);
});

test("Slack's three ways, and its question whether we are there", () => {
  expect(slack.challenge?.({ type: "url_verification", challenge: "abc" })).toEqual({ challenge: "abc" });
  const message = {
    type: "message_action",
    callback_id: "create_task",
    team: { id: "T1" },
    channel: { id: "C1" },
    user: { id: "U1", username: "ada" },
    message: { ts: "1700000000.000100", text: "Mesh the gears\nsoon" },
    trigger_id: "9",
  };
  const form = parsedBody(Buffer.from(String(new URLSearchParams({ payload: JSON.stringify(message) }))));
  expect(slack.read({}, form)).toEqual({ key: "9", account: "T1", lane: "C1", kind: "interaction" });
  expect(slack.happened("interaction", form)).toMatchObject([
    {
      what: "task_wanted",
      resource: "C1",
      by: { externalId: "T1:U1" },
      title: "Mesh the gears",
      entity: { externalId: "C1:1700000000.000100" },
      reply: { thread_ts: "1700000000.000100" },
    },
  ]);
  const command = {
    command: "/task",
    team_id: "T1",
    channel_id: "C1",
    user_id: "U1",
    user_name: "ada",
    text: "Mesh",
    trigger_id: "8.1",
  };
  expect(slack.read({}, command)).toMatchObject({ account: "T1", lane: "C1", kind: "command" });
  expect(slack.happened("command", command)).toMatchObject([{ title: "Mesh", reply: {} }]);
  const links = {
    type: "event_callback",
    event_id: "E1",
    team_id: "T1",
    event: {
      type: "link_shared",
      channel: "C1",
      message_ts: "1.1",
      links: [{ url: "https://svc.example.com/t/ENG-1" }, { url: "javascript:1" }],
    },
  };
  expect(slack.happened("event", links)).toMatchObject([{ what: "links", urls: ["https://svc.example.com/t/ENG-1"] }]);
  const said = {
    type: "message",
    channel: "C1",
    ts: "1.2",
    text: "<@U1> see ENG-1 and <https://svc.example.com/|A-2>",
  };
  expect(slack.happened("event", { ...links, event: said })).toMatchObject([
    { what: "links", urls: [], text: "  see ENG-1 and  ", reply: { thread_ts: "1.2" } },
  ]);
  expect(slack.challenge?.({ ...links, event: said })).toBeNull();
  for (const other of [
    { text: "Lunch?" },
    { text: "<https://x.example/ENG-1>" },
    { bot_id: "B1" },
    { subtype: "bot_message" },
  ]) {
    const event = { ...said, ...other };
    expect([slack.happened("event", { ...links, event }), slack.challenge?.({ ...links, event })]).toEqual([[], {}]);
  }
  expect(slack.happened("event", { event: { type: "app_uninstalled" } })).toEqual([{ what: "removed" }]);
});

test("errors that are raised, resolved and come back", () => {
  const issue = {
    id: "12",
    title: "TypeError",
    culprit: "gears.ts",
    status: "unresolved",
    web_url: "https://errors.example.com/12",
    project: { id: "4", slug: "engine" },
  };
  const told = (action: string) => errtrack.happened("issue", { action, data: { issue } });
  expect(told("created")).toMatchObject([
    { what: "error", resource: "4", step: "raised", detail: "gears.ts", entity: { kind: "error", externalId: "12" } },
  ]);
  expect(told("resolved")).toMatchObject([{ step: "resolved" }]);
  expect(told("unresolved")).toMatchObject([{ step: "reopened" }]);
  expect(errtrack.happened("issue", { action: "created", data: {} })).toEqual([]);
});

test("whatever is sent, nothing is taken for granted", () => {
  const odd = [
    null,
    [],
    1,
    "x",
    {},
    { repository: 1, pull_request: [], commits: {}, event: "x", data: 1, sender: null },
  ];
  const kinds = [
    "push",
    "pull_request",
    "check_suite",
    "status",
    "issue_comment",
    "Push Hook",
    "Merge Request Hook",
    "Note Hook",
    "Pipeline Hook",
    "event",
    "command",
    "interaction",
    "issue",
  ];
  for (const { happened, read } of [github, gitlab, gitea, slack, errtrack])
    for (const sent of odd)
      for (const kind of kinds)
        expect([Array.isArray(happened(kind, sent)), typeof read({}, sent)]).toEqual([true, "object"]);
});
