// Requests of an error tracker: options for its forms, a Task for an error, and the validation of an alert action.
// Field names in bodies and queries follow Sentry's API. Also the readiness check of a Project for error events.
import Type from "typebox";
import { op, P, S } from "../../kit.ts";
import { Id, Line, nullable, object, Timestamp, Title } from "../../types.ts";

/** Maximum options in a form field. */
export const MOST_CHOICES = 20;

const named = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: "^[A-Za-z0-9_.-]+$", description });
const Installation = named("The id of the installation: ours or, where the tracker signs as Sentry does, its own.");
/** Trackers identify some resources by number and others by name. */
const external = (description: string) =>
  Type.Union([named(description), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], { description });
const Slug = named("The project there, by its name in addresses.");
const Binding = { ...Id, description: "Of the Project, as options/bindings has it." };

const howItIsSigned =
  "Signed with the secret of the installation as Standard Webhooks say (webhook-id, webhook-timestamp, " +
  "webhook-signature), over the line `METHOD /path?query`, a line feed, and the body as it is sent. " +
  "A tracker that was connected with a secret of its own signs as Sentry does: " +
  "the HMAC of the body in Sentry-App-Signature, which has no time in it and signs nothing of a GET. " +
  "What is forged, older than five minutes, or for an installation that is unknown, removed or revoked is " +
  "refused alike: 404.";
const asked = { auth: [P], lenient: true, limit: "delivery" } as const;
const recordedThere = "what follows from it is recorded by the operations that do it";

export const Choices = Type.Array(object({ value: Id, label: Type.String() }), { maxItems: MOST_CHOICES });

export const listErrtrackBindings = op(
  "GET /integrations/errtrack/options/bindings",
  "List the Projects that an error tracker can choose from",
  {
    description:
      "Bindings of the installation with an enabled subscription to errors, of Projects that are " +
      "not archived, " +
      `${MOST_CHOICES} at most. ${howItIsSigned}`,
    ...asked,
    query: object({ installationId: Installation, projectSlug: Type.Optional(Slug) }),
    returns: Choices,
    errors: ["not_found"],
  },
);

export const listErrtrackTasks = op(
  "GET /integrations/errtrack/options/tasks",
  "List the Tasks that an error can be linked to",
  {
    description:
      `Of Projects that are bound to the project there, and of no other: ${MOST_CHOICES} at most, ` +
      `by words or by a code, or those that changed last. ${howItIsSigned}`,
    ...asked,
    query: object({ installationId: Installation, projectSlug: Slug, query: Type.Optional(Line(200)) }),
    returns: Choices,
    errors: ["not_found"],
  },
);

const issue = {
  installationId: Installation,
  issueId: external("The error, by its id there."),
  webUrl: Type.String({ minLength: 1, maxLength: 2000, pattern: "^https?://", description: "Where it is there." }),
  project: object({ id: external("The project there."), slug: Type.Optional(Slug) }),
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
      description: "Of the Task.",
      examples: ["https://svc.example.com/workspaces/acme/tasks/ENG-12"],
    }),
    project: Type.String({ description: "The key of its Project.", examples: ["ENG"] }),
    identifier: Type.String({ description: "Its number there.", examples: ["12"] }),
  },
  { description: "As the tracker shows it: ENG#12." },
);

export const createErrtrackIssueTask = op("POST /integrations/errtrack/issues/create", "Make a Task of an error", {
  description:
    "In a Project that is bound to the project there, as the installation. " +
    "An error that a Task of that Project " +
    `has already leads to that Task; so does the same request again. ${howItIsSigned}`,
  ...asked,
  body: Type.Object({
    ...issue,
    fields: object({
      binding: Type.Optional({ ...Binding, description: `${Binding.description} Needed where there are several.` }),
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
    "To a Task of a Project that is bound to the project there; any other is as good as none. " +
    `The same request again changes nothing. ${howItIsSigned}`,
  ...asked,
  body: Type.Object({ ...issue, fields: object({ task: { ...Id, description: "As options/tasks has it." } }) }),
  example: { ...exampleIssue, fields: { task: "01890000-0000-7000-8000-000000000002" } },
  returns: LinkedTask,
  quiet: recordedThere,
  errors: ["not_found", "invalid_reference", "project_archived", "limit_reached"],
});

export const checkErrtrackAlertAction = op(
  "POST /integrations/errtrack/alert-action",
  "Say whether an alert can make Tasks as it is set up",
  {
    description:
      "Asked when somebody saves an alert there. An alert that names a binding makes a Task in its " +
      "Project when " +
      `it is delivered, whatever the binding's rules say of others. ${howItIsSigned}`,
    ...asked,
    body: Type.Object({
      installationId: Installation,
      fields: Type.Array(
        object({
          name: named("binding, and what else the form has."),
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
    returns: object({ message: Type.String({ description: "What the tracker shows to who saves it." }) }),
    quiet: "it changes nothing",
    errors: ["not_found", "invalid_reference", "project_archived"],
  },
);

/** Requirements of a Project that is bound to an error tracker, each with the remedy if it is not met. */
export const errtrackChecks = {
  connection: "Connect the tracker again: it does not answer, or refuses the credential.",
  project_listed:
    "The tracker does not list this project any more: bind the Project to another one, or give the credential a " +
    "right to it.",
  signature: "Connect the tracker again: there is no secret with which its deliveries could be signed.",
  deliveries:
    "Have the tracker send its errors to webhook_url, signed with the secret that was shown when it was connected.",
  subscription: "Subscribe the binding to the kind error.",
  create_tasks: "Set the rule create_tasks, if every new error is to make a Task.",
  resolve_there: "Set the rule resolve_with_task, if completing a Task is to resolve its error.",
  resolve_here: "Set the rules resolve_with_task and merged_status_id, if resolving an error is to move its Task.",
} as const;
export type ErrtrackCheck = keyof typeof errtrackChecks;

export const ErrtrackReadiness = object({
  is_ready: Type.Boolean({ description: "Nothing is left that has to be done: none of the checks is todo." }),
  webhook_url: Type.String({ description: "Where the tracker is to send what happens." }),
  last_delivery_at: { ...nullable(Timestamp), description: "When the tracker last sent something by itself." },
  checks: Type.Array(
    object({
      code: Type.Enum(Object.keys(errtrackChecks) as ErrtrackCheck[]),
      state: Type.Enum(["ready", "todo", "optional"], { description: "optional: it works without." }),
      next: { ...nullable(Type.String()), description: "What to do; null where it is ready." },
    }),
    { maxItems: Object.keys(errtrackChecks).length },
  ),
});

export const checkErrtrackReadiness = op(
  "POST /integration-bindings/{binding_id}/errtrack-readiness",
  "Say what is left to do before a Project hears of errors",
  {
    description:
      "By those who manage Integrations, and leads of the Project. Of a binding to an error tracker; " +
      "of another there is none. It tells what is known, and has the tracker asked anew in the background: " +
      "ask again to see what that found.",
    auth: [S],
    quiet: "it tells what is missing and changes nothing",
    returns: ErrtrackReadiness,
    errors: ["project_archived"],
  },
);
