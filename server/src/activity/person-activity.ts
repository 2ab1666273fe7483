// The activity of one person, present or former: the Workspace's feed, narrowed to them.
import * as contract from "@svc/contract/activity/person-activity.ts";
import { implementList } from "../kernel/implement.ts";
import { person } from "../people/access.ts";
import { feed } from "./feed.ts";

export const listPersonActivity = implementList(contract.listPersonActivity, person(), (tx, input) =>
  feed(tx, input, { username: input.params.username }),
);
