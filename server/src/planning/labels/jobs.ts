// Background work of labels: what is left to do when one has been deleted. It may run twice.

import { type Background, inWorkspace, type Jobs } from "../../platform/background/jobs.ts";
import type { Database } from "../../platform/database/db.ts";
import type { Mover } from "../lifecycle/store.ts";
import { stripLabel } from "./store.ts";

interface StripLabel {
  workspace_id: string;
  label_id: string;
  author: Mover;
}

export const labelJobs = ({ writer }: Pick<Database, "writer">): Jobs => ({
  /** Takes a label that is deleted off what still bears it, a page in a transaction. */
  async strip_label(payload) {
    const { workspace_id, label_id, author } = payload as StripLabel;
    for (let stripped = 1; stripped > 0; )
      stripped = await inWorkspace(writer, workspace_id, (tx) => stripLabel(tx, workspace_id, label_id, author));
  },
});

export const background: Background = { jobs: ({ database }) => labelJobs(database) };
