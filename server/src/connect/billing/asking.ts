// The billing provider, asked within a request.
import { BillingError } from "../../platform/outside/stripe.ts";
import { Refusal } from "../../platform/wire/problem.ts";

/** In seconds. */
const AGAIN = 5;
/** What it answers; where it does not, whoever asked is told to ask again. */
export async function answered<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    throw new Refusal("billing_unavailable", { retry_after: AGAIN }, false, error);
  }
}
