// Comments on Tasks: list, create, read, edit, delete, react. A deleted comment stays as a tombstone that can only be
// read and deleted again. A Task in the trash accepts no new comments, edits or reactions.
import * as contract from "@svc/contract/planning/comments/comments.ts";
import { implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { insideTask } from "../tasks/access.ts";
import { comment, commentCapabilities } from "./access.ts";
import * as change from "./change.ts";
import { commentOn } from "./creation.ts";
import * as store from "./store.ts";

export const listTaskComments = implementList(
  contract.listTaskComments,
  insideTask("work:read"),
  (tx, { params, query, page }) => store.listComments(tx, [params.task_id], query.order, page),
);

export const createTaskComment = implement(
  contract.createTaskComment,
  insideTask("work:write"),
  async (context, { target, body }) => {
    const created = commentOn(context, target, body.markdown);
    return render(created, commentCapabilities(context, created));
  },
);

export const getComment = implement(contract.getComment, comment("read"), async (context, { target }) =>
  render(target, commentCapabilities(context, target)),
);

export const updateComment = implement(
  contract.updateComment,
  comment("comment:update"),
  async (context, { target, body }) => {
    const row = await change.editComment(context, target, body.markdown);
    return render(row ?? target, commentCapabilities(context, target));
  },
);

export const deleteComment = implement(
  contract.deleteComment,
  comment("comment:delete"),
  async (context, { target }) => {
    if (!target.deleted) change.deleteComment(context, target);
  },
);

export const addReaction = implement(
  contract.addReaction,
  comment("comment:react"),
  async (context, { target, params }) =>
    render(await change.react(context, target, params.reaction), commentCapabilities(context, target)),
);

export const removeReaction = implement(
  contract.removeReaction,
  comment("comment:react"),
  async (context, { target, params }) => change.unreact(context, target, params.reaction),
);
