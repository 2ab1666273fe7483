// Which billing provider the operator has chosen, how it is reached, and what is sold there. Pure.
const STRIPE_URL = "https://api.stripe.com";
const wares = ["team", "business", "credits"] as const;
/** What can be sold: two plans, by the seat, and packs of knowledge credits. */
export type Ware = (typeof wares)[number];
export type Prices = Partial<Record<Ware, string>>;

export interface BillingConfig {
  provider: "stripe";
  /** Its origin. */
  url: string;
  key: string;
  /** Of what it sends: the newest, and others while they are exchanged. */
  webhookSecrets: readonly string[];
  /** What its prices are called there. */
  prices: Prices;
}

/** team=price_1,business=price_2,credits=price_3 */
export function readPrices(text: string): Prices {
  const prices: Prices = {};
  for (const each of text.split(",")) {
    const [, ware = "", price = ""] = /^\s*(\w+)=(\w{1,255})\s*$/.exec(each) ?? [];
    const known = wares.find((candidate) => candidate === ware);
    if (!known || prices[known] !== undefined)
      throw new Error(`"${each}" is no price; set for example team=price_1,business=price_2,credits=price_3`);
    prices[known] = price;
  }
  return prices;
}

type Given = {
  url: string | null;
  key: string | null;
  webhookSecrets: readonly string[] | null;
  prices: Prices | null;
};
/** null: none; a list: what is missing. */
export function billingOf({ url, key, webhookSecrets, prices }: Given): BillingConfig | null | string[] {
  if (key === null && webhookSecrets === null && prices === null) return null;
  const missing = Object.entries({
    STRIPE_SECRET_KEY: key,
    STRIPE_WEBHOOK_SECRET: webhookSecrets,
    STRIPE_PRICES: prices,
  });
  const faults = missing.filter(([, value]) => value === null).map(([name]) => `${name}: is not set; Stripe needs it`);
  if (key === null || webhookSecrets === null || prices === null) return faults;
  return { provider: "stripe", url: url ?? STRIPE_URL, key, webhookSecrets, prices };
}
