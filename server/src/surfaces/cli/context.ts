// A Task with its context for a program: the same as in the browser, without ids.
import * as contract from "@svc/contract/surfaces/cli/context.ts";
import type { CliContextTask } from "@svc/contract/surfaces/cli/tasks.ts";
import type { Static } from "typebox";
import { contextOf } from "../../planning/tasks/context/rules.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { cliTaskForContext } from "./access.ts";

const withoutId = <Row extends { id: string }>({ id: _, ...rest }: Row) => rest;

export const getCliTaskContext = implement(
  contract.getCliTaskContext,
  cliTaskForContext,
  async (_context, { target, query }) => {
    const { profile = "compact" } = query;
    const { rest, related, documents, comments, inaccessible } = target.material;
    return contextOf(profile, {
      task: JSON.parse(target.json) as Static<typeof CliContextTask>,
      related: related.map(withoutId),
      documents: documents.map(withoutId),
      comments: comments.map(withoutId),
      inaccessible,
      rest: { project: withoutId(rest.project), milestone: rest.milestone && withoutId(rest.milestone) },
    });
  },
);
