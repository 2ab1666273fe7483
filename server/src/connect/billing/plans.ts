// Writes the entitlements of the plans to the database at each start. Without a billing provider nothing is sold and
// everything is granted. Every process of an installation has the same configuration, so that the last start may be any
// of them.
import { planKeys, plans } from "@svc/contract/connect/billing/plans.ts";
import { asOwner } from "../../platform/database/start/owner.ts";
import type { BillingConfig } from "../../platform/settings/billing-config.ts";

const columns = "key, sold_by, sold, members, storage, agents, features";
const TELL = `
with told as (
  select * from json_to_recordset($1::json) as p(key text, sold_by text, sold boolean, members integer, storage bigint,
    agents integer, features text[])
), gone as (delete from billing_plans b where not exists (select from told where told.key = b.key))
insert into billing_plans as b (${columns}) select ${columns} from told
on conflict (key) do update set (${columns}) = row(excluded.*) where b is distinct from excluded`;

/** Runs as the owner of the tables: the application's own role cannot change what a plan grants. */
export async function tellPlans(url: string, billing: BillingConfig | null): Promise<void> {
  const told = billing
    ? planKeys.map((key) => ({
        key,
        sold_by: billing.provider,
        sold: key !== "free" && billing.prices[key] !== undefined,
        ...plans[key],
      }))
    : [];
  await asOwner(url, TELL, [JSON.stringify(told)]);
}
