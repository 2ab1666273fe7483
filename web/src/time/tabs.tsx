// Tabs of the time pages: the member's week, and the report.
import { t } from "../messages/t.ts";
import { within } from "../ui/address.ts";
import type { Tab } from "../ui/page.tsx";

export const TimeTabs = (here: "week" | "report"): Tab[] => [
  { to: within("time"), label: t("time.week"), isHere: here === "week" },
  { to: within("time/report"), label: t("time.report"), isHere: here === "report" },
];
