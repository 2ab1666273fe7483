// The signed-in person's own account.
import * as contract from "@svc/contract/account/account.ts";
import { account, implement } from "../kernel/implement.ts";
import { render } from "../kernel/view.ts";
import { type AccountRow, SELECT_ACCOUNT } from "./view.ts";

export const getMe = implement(contract.getMe, account(), async ({ tx, principal }) => {
  const row = await tx.one<AccountRow>(SELECT_ACCOUNT, [principal.userId, principal.workspaceId]);
  // A native client manages no API tokens.
  const capabilities = row.capabilities.filter((each) => principal.kind === "session" || each !== "api_tokens:create");
  return render(row, capabilities);
});
