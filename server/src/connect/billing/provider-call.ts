// Calls to the billing provider within a request.
import { BillingError } from "../../platform/outside/stripe.ts";
import { Refusal } from "../../platform/wire/problem.ts";

/** Seconds after which a refused caller may retry. */
const AGAIN = 5;
/** Refuses with billing_unavailable and a retry time if the provider fails. */
export async function answered<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    throw new Refusal("billing_unavailable", { retry_after: AGAIN }, false, error);
  }
}
