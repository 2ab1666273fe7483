// The rules that apply to every operation, and a service on which to test them: see checks/ for the rules, fixtures.ts
// for a valid call of each operation, and planted.ts for the broken operations that the rules must notice.
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { MODEL, sellWithoutLimits } from "./billing.ts";
import { access } from "./checks/access.ts";
import { answers } from "./checks/answers.ts";
import type { Checks } from "./checks/check.ts";
import { input } from "./checks/input.ts";
import { retries } from "./checks/retries.ts";
import { fixtures } from "./fixtures.ts";
import { openIdProviders } from "./openid-provider.ts";
import { plantedImplementations, plantedOperations } from "./planted.ts";
import { type Stage, stageOn } from "./stage.ts";
import { stripeStandIn } from "./stripe.ts";
import { service } from "./world.ts";

export const rules: Checks = { ...access, ...retries, ...input, ...answers };

/** Starts a service with every operation and the planted ones, for one test file. */
export async function contractStage({ isSampled }: Pick<Stage, "isSampled">) {
  const openId = await openIdProviders();
  afterAll(() => openId.stop());
  const stripe = await stripeStandIn();
  afterAll(() => stripe.close());
  const running = service(
    { providers: openId.config, ...stripe.config, model: MODEL },
    { implementations: [...implementations, ...plantedImplementations] },
  );
  const on = { running, stage: undefined as unknown as Stage };
  beforeAll(async () => {
    await sellWithoutLimits(running);
    const ofPlanted = Object.fromEntries(plantedOperations.map(({ id }) => [id, {}]));
    const all = [...operations.values(), ...plantedOperations];
    on.stage = { ...(await stageOn(running, all, { ...fixtures, ...ofPlanted })), isSampled };
  });
  afterAll(() => on.stage?.admin.end());
  return on;
}

/** Declares one test for each operation that has rules, which collects every rule that it breaks. */
export function testRules(
  on: { stage: Stage },
  namesOf: (operation: NonNullable<ReturnType<typeof operations.get>>) => readonly string[],
): void {
  for (const operation of operations.values()) {
    const names = namesOf(operation);
    if (names.length === 0) continue;
    const check = fixtures[operation.id]?.alone ? test : test.concurrent;
    check(`${operation.id} holds to its contract`, async ({ expect }) => {
      const broken: string[] = [];
      for (const rule of names)
        await rules[rule]
          ?.run(operation, on.stage)
          .catch((error: Error) => broken.push(`${rule}\n    ${error.message}`));
      expect(broken, `${operation.id} breaks ${broken.length} rules`).toEqual([]);
    });
  }
}
