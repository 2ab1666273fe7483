// Overrides of a Workspace label's appearance in one Project. The label remains the same: a search for it finds the
// work of every Project.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Color, Id, Name, nullable, object, Revision, single, Timestamp } from "../../types.ts";

const writable = {
  name: { ...nullable(Name(80)), examples: ["Fault"], description: "null: the Workspace's name." },
  color: { ...nullable(Color), examples: ["orange"], description: "null: the Workspace's color." },
  hidden: Type.Boolean({ description: "true: the Project does not offer the label. Existing assignments remain." }),
};

export const LabelOverrideRow = object({
  project_id: Id,
  label_id: Id,
  ...writable,
  revision: Revision,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const LabelOverride = single(LabelOverrideRow);

export const listLabelOverrides = op(
  "GET /projects/{project_id}/label-overrides",
  "Read how a Project shows the Workspace's labels",
  {
    description: "The list has no pages: a Project that overrides more than 100 labels answers `catalog_incomplete`.",
    auth: [S, M],
    returns: object({ items: Type.Array(LabelOverrideRow) }),
    errors: ["catalog_incomplete"],
  },
);

export const replaceLabelOverride = op(
  "PUT /projects/{project_id}/label-overrides/{label_id}",
  "Show a Workspace label in another way in a Project",
  {
    description:
      "Only someone who manages the Project can do it. Replaces the whole override. If-Match is its " +
      'revision, or "0" if there is none yet.',
    auth: [S],
    ifMatch: "required",
    body: object({
      name: Type.Optional(writable.name),
      color: Type.Optional(writable.color),
      hidden: Type.Optional(writable.hidden),
    }),
    example: { name: "Fault", color: "orange", hidden: false },
    returns: LabelOverride,
    errors: ["project_archived"],
  },
);

export const deleteLabelOverride = op(
  "DELETE /projects/{project_id}/label-overrides/{label_id}",
  "Reset how a Project shows a Workspace label",
  {
    description: "Only someone who manages the Project can do it.",
    auth: [S],
    ifMatch: "optional",
    errors: ["project_archived"],
  },
);
