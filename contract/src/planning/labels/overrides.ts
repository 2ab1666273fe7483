// Overrides of a Workspace label's appearance in one Project. The label remains the same: a search for it finds the
// work of every Project.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { Color, Id, Name, nullable, object, Revision, single, Timestamp } from "../../types.ts";

const writable = {
  name: { ...nullable(Name(80)), examples: ["Fault"], description: "Null: as everywhere." },
  color: { ...nullable(Color), examples: ["orange"], description: "Null: as everywhere." },
  hidden: Type.Boolean({ description: "The Project does not offer it. What bears it already keeps it." }),
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
    description: "Not paged: a Project that overrides more than 100 labels answers `catalog_incomplete`.",
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
      'By whoever manages the Project. Replaces the whole override. If-Match is its revision, and "0" where there ' +
      "is none yet.",
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
  "Show a Workspace label in a Project as everywhere",
  { description: "By whoever manages the Project.", auth: [S], ifMatch: "optional", errors: ["project_archived"] },
);
