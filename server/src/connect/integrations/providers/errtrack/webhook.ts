// Webhook of an error tracker: an error was raised, resolved or reopened. Signed as Standard Webhooks, with a time; if
// the secret of the installation begins with "sentry:", signed as by Sentry (the HMAC of the body, in hexadecimal).
// That has no time, so the same body is accepted once.
import { isSigned } from "../../../../platform/wire/standard-webhooks.ts";
import type { Entity, ResourceEvent, Webhook } from "../../client/provider.ts";
import { isHmac } from "../signatures.ts";
import { fieldsOf, listOf, textOf, timeOf, urlOf } from "../untrusted-fields.ts";
import { sentrySecret } from "./requests.ts";

type Step = Extract<ResourceEvent, { what: "error" }>["step"];
const STEPS: Readonly<Record<string, Step>> = {
  created: "raised",
  triggered: "raised",
  resolved: "resolved",
  unresolved: "reopened",
  reopened: "reopened",
};

export const webhook: Webhook = {
  age: null,
  verify(headers, body, secret, now) {
    const own = sentrySecret(secret);
    return own === null ? isSigned(headers, body, secret, now) : isHmac(headers["sentry-hook-signature"], own, body);
  },
  read(headers, sent) {
    const body = fieldsOf(sent);
    const issue = issueOf(body);
    const kind = textOf(headers["sentry-hook-resource"], 100) || textOf(body.type, 100) || "issue";
    return { key: null, account: null, lane: projectOf(issue, body), kind };
  },
  happened(_kind, sent): ResourceEvent[] {
    const body = fieldsOf(sent);
    const issue = issueOf(body);
    const externalId = textOf(issue.id ?? issue.issue_id, 100);
    const title = textOf(issue.title, 300);
    if (externalId === "" || title === "") return [];
    const entity: Entity = {
      kind: "error",
      externalId,
      title,
      url: urlOf(issue.web_url ?? issue.permalink ?? issue.url),
      state: textOf(issue.status, 40) || "unresolved",
      changedAt: timeOf(issue.lastSeen ?? issue.updated_at),
    };
    const step = STEPS[textOf(body.action, 40)] ?? null;
    const detail = textOf(issue.culprit ?? issue.detail, 20_000);
    const binding = bindingOf(body);
    return [
      {
        what: "error",
        resource: projectOf(issue, body),
        kind: "error",
        by: null,
        entity,
        detail,
        step,
        ...(binding !== "" && { binding }),
      },
    ];
  },
};

const issueOf = (body: ReturnType<typeof fieldsOf>) => {
  const data = fieldsOf(body.data);
  return fieldsOf(data.issue ?? data.event ?? data.error ?? body.issue);
};
/** Binding that an alert was set up with; empty if it is no alert, or names none. */
const bindingOf = (body: ReturnType<typeof fieldsOf>) => {
  const settings = listOf(fieldsOf(fieldsOf(body.data).issue_alert).settings, 20).map(fieldsOf);
  return textOf(settings.find(({ name }) => name === "binding")?.value, 100).toLowerCase();
};
/** Project of the error: its id, or its slug if there is no id. */
const projectOf = (issue: ReturnType<typeof fieldsOf>, body: ReturnType<typeof fieldsOf>) => {
  const project = fieldsOf(issue.project);
  return textOf(project.id ?? project.slug ?? issue.project ?? body.project, 100);
};
