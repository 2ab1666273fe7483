// Requests of an error tracker: options for its forms, a Task for an error, and the validation of an alert action.
// Field names in bodies and queries follow Sentry's API. Also the readiness check of a Project for error events.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { Id, Line, nullable, object, Timestamp, Title } from "../../types.ts";

/** Maximum options in a form field. */
export const MOST_CHOICES = 20;

const named = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: "^[A-Za-z0-9_.-]+$", description });
const Installation = named("Id of the installation: ours or, if the tracker signs as Sentry does, its own.");
/** Trackers identify some resources by number and others by name. */
const external = (description: string) =>
  Type.Union([named(description), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], { description });
const Slug = named("Slug of the project at the tracker.");
const Binding = { ...Id, description: "Id of the Project's binding, from options/bindings." };

const howItIsSigned =
  "Requests are signed with the secret of the installation according to Standard Webhooks " +
  "(webhook-id, webhook-timestamp, webhook-signature), over the line `METHOD /path?query`, a line " +
  "feed, and the body as sent. A tracker that was connected with its own secret signs as Sentry " +
  "does: the HMAC of the body in Sentry-App-Signature, which includes no time and no content of a " +
  "GET. A request that is forged, older than five minutes, or for an installation that is unknown, " +
  "removed or revoked is refused with the same 404.";
const asked = { auth: [P], lenient: true, limit: "delivery" } as const;
const recordedThere = "The operations that carry it out record the effects.";

export const Choices = Type.Array(object({ value: Id, label: Type.String() }), { maxItems: MOST_CHOICES });

export const listErrtrackBindings = op(
  "GET /integrations/errtrack/options/bindings",
  "List the Projects for an error tracker",
  {
    description:
      "Lists bindings of the installation with an enabled subscription to errors, of Projects that are " +
      `not archived, ${MOST_CHOICES} at most. ${howItIsSigned}`,
    ...asked,
    query: object({ installationId: Installation, projectSlug: Type.Optional(Slug) }),
    returns: Choices,
    errors: ["not_found"],
  },
);

export const listErrtrackTasks = op("GET /integrations/errtrack/options/tasks", "List the Tasks for linking an error", {
  description:
    `Lists Tasks of Projects that are bound to the tracker's project only: ${MOST_CHOICES} at most, by ` +
    `words or by a code, or those that changed last. ${howItIsSigned}`,
  ...asked,
  query: object({ installationId: Installation, projectSlug: Slug, query: Type.Optional(Line(200)) }),
  returns: Choices,
  errors: ["not_found"],
});

const issue = {
  installationId: Installation,
  issueId: external("Id of the error at the tracker."),
  webUrl: Type.String({
    minLength: 1,
    maxLength: 2000,
    pattern: "^https?://",
    description: "Page of the error at the tracker.",
  }),
  project: object({ id: external("Id of the project at the tracker."), slug: Type.Optional(Slug) }),
};
const exampleIssue = {
  installationId: "01890000-0000-7000-8000-000000000001",
  issueId: 4711,
  webUrl: "https://errors.example.com/issues/4711/",
  project: { id: 7, slug: "shop" },
};
const LinkedTask = object(
  {
    task_id: Id,
    webUrl: Type.String({
      description: "Page of the Task.",
      examples: ["https://svc.example.com/workspaces/acme/tasks/ENG-12"],
    }),
    project: Type.String({ description: "Key of the Task's Project.", examples: ["ENG"] }),
    identifier: Type.String({ description: "Number of the Task in its Project.", examples: ["12"] }),
  },
  { description: "Name that the tracker shows: ENG#12." },
);

export const createErrtrackIssueTask = op("POST /integrations/errtrack/issues/create", "Create a Task from an error", {
  description:
    "Creates the Task in a Project that is bound to the tracker's project, as the installation's " +
    "Actor. If a Task of that Project has the error already, it returns that Task; so does the same " +
    `request again. ${howItIsSigned}`,
  ...asked,
  body: Type.Object({
    ...issue,
    fields: object({
      binding: Type.Optional({ ...Binding, description: `${Binding.description} Required if there are several.` }),
      title: Title(500),
      description: Type.Optional(Type.String({ maxLength: 20_000, format: "text" })),
    }),
  }),
  example: { ...exampleIssue, fields: { title: "TypeError: cart is undefined" } },
  returns: LinkedTask,
  quiet: recordedThere,
  errors: ["not_found", "invalid_reference", "project_archived", "project_closed", "limit_reached"],
});

export const linkErrtrackIssue = op("POST /integrations/errtrack/issues/link", "Link an error to a Task", {
  description:
    "The Task must be in a Project that is bound to the tracker's project; any other one is not found. " +
    `The same request again changes nothing. ${howItIsSigned}`,
  ...asked,
  body: Type.Object({ ...issue, fields: object({ task: { ...Id, description: "Task from options/tasks." } }) }),
  example: { ...exampleIssue, fields: { task: "01890000-0000-7000-8000-000000000002" } },
  returns: LinkedTask,
  quiet: recordedThere,
  errors: ["not_found", "invalid_reference", "project_archived", "limit_reached"],
});

export const checkErrtrackAlertAction = op(
  "POST /integrations/errtrack/alert-action",
  "Check whether an alert can create Tasks",
  {
    description:
      "The tracker calls it when somebody saves an alert. An alert that names a binding creates a Task " +
      "in its Project when it is delivered, whatever the binding's rules for other alerts. " +
      `${howItIsSigned}`,
    ...asked,
    body: Type.Object({
      installationId: Installation,
      fields: Type.Array(
        object({
          name: named("binding, and further fields of the form."),
          value: nullable(Type.String({ maxLength: 2000 })),
          label: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
        }),
        { maxItems: 20 },
      ),
    }),
    example: {
      installationId: exampleIssue.installationId,
      fields: [{ name: "binding", value: "01890000-0000-7000-8000-000000000003" }],
    },
    returns: object({ message: Type.String({ description: "Message for the person who saves the alert." }) }),
    quiet: "The check changes nothing.",
    errors: ["not_found", "invalid_reference", "project_archived"],
  },
);

/** Requirements of a Project that is bound to an error tracker, each with the remedy if it is not met. */
export const errtrackChecks = {
  connection: "Connect the tracker again: it does not answer, or refuses the credential.",
  project_listed:
    "The tracker no longer lists this project: bind the Project to another one, or give the credential " +
    "access to it.",
  signature: "Connect the tracker again: there is no secret for signing its deliveries.",
  deliveries:
    "Configure the tracker to send its errors to webhook_url, signed with the secret that was shown " +
    "when it was connected.",
  subscription: "Subscribe the binding to the kind error.",
  create_tasks: "Set the rule create_tasks, if every new error should create a Task.",
  resolve_there: "Set the rule resolve_with_task, if completing a Task should resolve its error.",
  resolve_here: "Set the rules resolve_with_task and merged_status_id, if resolving an error should move its Task.",
} as const;
export type ErrtrackCheck = keyof typeof errtrackChecks;

export const ErrtrackReadiness = object({
  is_ready: Type.Boolean({ description: "Whether no check is todo." }),
  webhook_url: Type.String({ description: "URL for the tracker's deliveries." }),
  last_delivery_at: {
    ...nullable(Timestamp),
    description: "Time of the last delivery that the tracker sent by itself.",
  },
  checks: Type.Array(
    object({
      code: Type.Enum(Object.keys(errtrackChecks) as ErrtrackCheck[]),
      state: Type.Enum(["ready", "todo", "optional"], { description: "optional: the binding works without it." }),
      next: { ...nullable(Type.String()), description: "Next step; null if it is ready." },
    }),
    { maxItems: Object.keys(errtrackChecks).length },
  ),
});

export const checkErrtrackReadiness = op(
  "POST /integration-bindings/{binding_id}/errtrack-readiness",
  "Check the setup of an error tracker binding",
  {
    description:
      "Only those who manage Integrations, and leads of the Project, can check a binding to an error " +
      "tracker; other bindings are not found. Returns the current state and checks the tracker again in " +
      "the background: repeat the request for the new result.",
    auth: [S],
    quiet: "The check reports missing steps and changes nothing.",
    returns: ErrtrackReadiness,
    errors: ["project_archived"],
  },
);
