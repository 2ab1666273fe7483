// What stands at a Task from other services: read by whoever sees the Task.
import * as contract from "@svc/contract/integrations/rich-entities.ts";
import { implementList } from "../kernel/implement.ts";
import { insideTask } from "../tasks/access.ts";
import { listEntities } from "./entity-store.ts";

export const listTaskRichEntities = implementList(
  contract.listTaskRichEntities,
  insideTask("work:read"),
  (tx, { params, page }) => listEntities(tx, params.task_id, page),
);
