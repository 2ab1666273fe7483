// Every operation with every rule. contract.test.ts tests the covering set, and that the rules notice what is planted.
import { test } from "vitest";
import { asserted } from "./asserts.ts";
import { leaveNoTrace } from "./checks/answers.ts";
import { contractStage, rules, testRules } from "./contract-rules.ts";
import { appliesTo } from "./covering-set.ts";
import { selectedOperations } from "./selected-operations.ts";

const on = await contractStage({ isSampled: false });
testRules(on, (operation) =>
  Object.entries(rules)
    .filter(([, rule]) => appliesTo(rule, operation))
    .map(([name]) => name),
);

test("no read, no refusal and no replay writes anything", () => asserted(leaveNoTrace(selectedOperations(), on.stage)));
