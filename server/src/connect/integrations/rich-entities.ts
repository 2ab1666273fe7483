// Rich entities of a Task, readable by those who see the Task.
import * as contract from "@svc/contract/connect/integrations/rich-entities.ts";
import { insideTask } from "../../planning/tasks/access.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { listEntities } from "./apply/entity-store.ts";

export const listTaskRichEntities = implementList(
  contract.listTaskRichEntities,
  insideTask("work:read"),
  (tx, { params, page }) => listEntities(tx, params.task_id, page),
);
