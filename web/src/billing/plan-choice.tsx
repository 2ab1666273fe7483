// Plans that a new Workspace can choose from, side by side: Free if the account has no free Workspace yet, and the paid
// plans with price and entitlements.
import type { Operations } from "@svc/client";
import "../messages/later/billing.ts";
import { t } from "../messages/t.ts";
import { bytesText, moneyText } from "./words.ts";

export type Plan = Awaited<ReturnType<Operations["listBillingPlans"]>>["items"][number];

interface Props {
  plans: readonly Plan[];
  /** True if the account may create a free Workspace. */
  isFree: boolean;
  locale: string;
  chosen: string;
  choose: (plan: string) => void;
}
export function PlanChoice({ plans, isFree, locale, chosen, choose }: Props) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t("billing.plan")}</legend>
      <div className="space-y-2">
        {isFree ? (
          <Offer plan="free" isChosen={chosen === "free"} choose={choose} lines={[t("billing.freeLead")]} />
        ) : (
          <p className="text-sm text-soft">{t("billing.freeTaken")}</p>
        )}
        {plans.map((plan) => (
          <Offer
            key={plan.key}
            plan={plan.key}
            isChosen={chosen === plan.key}
            choose={choose}
            lines={[priceOf(plan, locale), givesOf(plan, locale)]}
          />
        ))}
      </div>
    </fieldset>
  );
}

const priceOf = ({ amount, currency, interval }: Plan, locale: string) =>
  t("billing.price", { amount: moneyText(amount, currency, locale), interval: t(`billing.${interval}`) });

/** Entitlements of a plan as text. */
function givesOf({ entitlements }: Plan, locale: string): string {
  const { storage, agents } = entitlements;
  const number = new Intl.NumberFormat(locale);
  const most = (name: "storage" | "agents", text: string | null) =>
    `${t(`billing.${name}`)}: ${text === null ? t("billing.unlimited") : t("billing.upTo", { most: text })}`;
  return [
    most("storage", storage === null ? null : bytesText(storage, locale)),
    most("agents", agents === null ? null : number.format(agents)),
    ...(["workspace_knowledge", "discuss"] as const)
      .filter((name) => entitlements[name])
      .map((name) => t(`billing.${name}`)),
  ].join(" · ");
}

interface OfferProps {
  plan: Plan["key"];
  isChosen: boolean;
  choose: (plan: string) => void;
  lines: readonly string[];
}
function Offer({ plan, isChosen, choose, lines }: OfferProps) {
  return (
    <label
      data-plan={plan}
      className={`flex cursor-pointer items-start gap-2.5 rounded-lg border p-3 ${isChosen ? "border-accent" : "border-line"}`}
    >
      <input
        type="radio"
        name="plan"
        value={plan}
        checked={isChosen}
        onChange={() => choose(plan)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span>
        <span className="font-medium">{t(`billing.${plan}`)}</span>
        {lines.map((line) => (
          <span key={line} className="block text-sm text-soft">
            {line}
          </span>
        ))}
      </span>
    </label>
  );
}
