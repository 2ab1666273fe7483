// Background job of labels: removes a deleted label from its targets. Idempotent.

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
  /** Removes a deleted label from its targets, one page per transaction. */
  async strip_label(payload) {
    const { workspace_id, label_id, author } = payload as StripLabel;
    for (let stripped = 1; stripped > 0; )
      stripped = await inWorkspace(writer, workspace_id, (tx) => stripLabel(tx, workspace_id, label_id, author));
  },
});

export const background: Background = { jobs: ({ database }) => labelJobs(database) };
