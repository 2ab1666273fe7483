// Lists the activity of one present or former person: the Workspace's feed, narrowed to them.
import * as contract from "@svc/contract/history/activity/person-activity.ts";
import { person } from "../../accounts/workspaces/people-access.ts";
import { implementList } from "../../platform/kernel/implement-operation.ts";
import { feed } from "./feed.ts";

export const listPersonActivity = implementList(contract.listPersonActivity, person(), (tx, input) =>
  feed(tx, input, { username: input.params.username }),
);
