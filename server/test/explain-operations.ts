// Every operation that is no list: the statements of one valid call, made from its fixture in the Workspace that has
// many rows, use an index. Part of explain.slow.test.ts, which loads the rows. The files beside this one explain calls
// that a fixture does not make.
import { type AnyOperation, isUnsafe } from "@svc/contract/kit.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../src/platform/wire/ids.ts";
import { explaining, type Statement } from "./explained.ts";
import { fixtures } from "./fixtures.ts";
import type { Home } from "./home.ts";
import { isNarrowed, selectedOperations } from "./selected-operations.ts";
import { attempt, homeIn, ready, type Stage, stageOn } from "./stage.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();
let stage: Stage;
beforeAll(async () => {
  stage = await stageOn(running, selectedOperations(), fixtures);
});
afterAll(() => stage?.admin.end());

/**
 * Operations that need a provider, which this service has not: explain-billing.ts and the tests of identity send their
 * statements.
 */
const needsProvider = new Set([
  ...["createWorkspaceCheckout", "createCheckoutSession", "createBillingPortalSession", "topUpKnowledgeCredits"],
  ...["receiveBillingDelivery", "linkIdentity", "authorizeProvider", "reauthenticateWithProvider"],
  ...["completeProviderSignIn", "completeProviderFormSignIn"],
]);
/**
 * Operations that read many rows of a crowded Workspace by design, and why: of these only the scan of a whole table is
 * a fault.
 */
const readsMany: Record<string, string> = {
  captureTaskResultSet: "keeps every Task that matches, up to its limit",
  createIntegrationCredential: "counts the connections of the Workspace, up to their limit",
  createPrivateConnector: "counts the connections of the Workspace, up to their limit",
  declineIntegrationRequest: "looks for everybody whose request it closes, up to 5,000",
  getConsent: "offers every Workspace of the account, which has thousands here",
  getKnowledgeRepository: "counts the conflicts, up to 1,000",
  listReferenceOptions: "offers the first of everything that the caller can refer to",
};
/**
 * All that are selected; otherwise one of twelve, so that this file stays true: the calls beside it explain every
 * operation.
 */
const explained = selectedOperations().filter(
  ({ id, kind }) => kind === "one" && !needsProvider.has(id) && (isNarrowed || sha256(id).readUInt8() % 12 === 0),
);

/**
 * A Workspace with many rows may have no room for one more of a kind: then the call is made in a new one, beside them.
 */
async function statementsOf(operation: AnyOperation): Promise<Statement[]> {
  const crowded = await homeIn(running, {}, seen.loaded.home);
  const answerIn = async (home: Home) => {
    const call = await ready(stage, operation, isUnsafe(operation), home);
    seen.recorded = [];
    return attempt(stage, operation, call);
  };
  const first = await answerIn(crowded).catch(() => null);
  const answer = first === null || first.status >= 400 ? await answerIn(stage.home) : first;
  expect(answer.status, answer.text).toBeLessThan(400);
  const sent = seen.recorded.filter(({ sql }) => !/^\s*(?:savepoint|release|rollback)\b/i.test(sql));
  return [...new Map(sent.map((statement) => [statement.sql, statement])).values()];
}

for (const operation of explained) {
  test(`${operation.id} finds everything that it touches by an index`, async () => {
    const statements = await statementsOf(operation);
    const faults: string[] = [];
    for (const statement of statements)
      for (const fault of allFaultsOf(await explainUndone(statement), statement.sql))
        faults.push(`${fault}: ${statement.sql}`);
    const isFault = (fault: string) => !(operation.id in readsMany) || fault.includes("reads all: ");
    expect(faults.filter(isFault)).toEqual([]);
  });
}
