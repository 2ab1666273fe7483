// Project overrides of Workspace labels. An override changes only the display, never which targets accept the label.
import * as contract from "@svc/contract/planning/labels/overrides.ts";
import { differing } from "../../platform/database/sql.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { granted, insideProject } from "../projects/access.ts";
import { anyOverride, presentOverride } from "./access.ts";
import { showLabel } from "./definition-change.ts";
import * as store from "./store.ts";

/** Maximum of listed overrides; the list is complete or refused. */
const MOST_LISTED = 100;

export const listLabelOverrides = implement(
  contract.listLabelOverrides,
  insideProject("work:read"),
  async ({ tx }, { target }) => {
    const rows = await store.listOverrides(tx, target.id, MOST_LISTED + 1);
    if (rows.length > MOST_LISTED) refuse("catalog_incomplete");
    return { json: `{"items":[${rows.map(({ json }) => json).join(",")}]}` };
  },
);

export const replaceLabelOverride = implement(
  contract.replaceLabelOverride,
  anyOverride(),
  async (context, { target, body }) => {
    const { before } = target;
    const { name = null, color = null, hidden = false } = body;
    const after = { name, color, hidden };
    const granting = granted(context, target, "work:manage", "label_override:update", "label_override:delete");
    if (before && !differing(after, before)) return render(target, granting);
    const [row] = await showLabel(context, target, after);
    return render(row as store.StoredLabel, granting);
  },
);

export const deleteLabelOverride = implement(
  contract.deleteLabelOverride,
  presentOverride(),
  async (context, { target }) => context.defer(showLabel(context, target, null)),
);
