// Configuration of the billing provider: its address, key and prices. Pure.
const STRIPE_URL = "https://api.stripe.com";
const wares = ["team", "business", "credits"] as const;
/** Products: two plans, priced by the seat, and packs of knowledge credits. */
export type Ware = (typeof wares)[number];
export type Prices = Partial<Record<Ware, string>>;

export interface BillingConfig {
  provider: "stripe";
  url: string;
  key: string;
  /** Signing secrets of its webhooks: the newest, and older ones during a rotation. */
  webhookSecrets: readonly string[];
  /** The provider's price ids, by product. */
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
/** null: no billing; a list: faults for missing settings. */
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
