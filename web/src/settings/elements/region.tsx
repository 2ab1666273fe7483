// Fields for locale, time zone and first day of the week: of a person, or the defaults of a Workspace.
import { useId } from "react";
import { t } from "../../messages/t.ts";
import { Field, Select } from "./form-elements.tsx";

interface Region {
  locale: string;
  timezone: string;
  week_start: string;
}
/** `shownIn` is the language of the weekday names, by default the locale itself. */
export function RegionFields({ of, shownIn = of.locale }: { of: Region; shownIn?: string }) {
  return (
    <>
      <Field
        name="locale"
        label={t("profile.locale")}
        help={t("profile.localeHelp")}
        defaultValue={of.locale}
        required
        maxLength={35}
      />
      <ZoneField label={t("profile.timezone")} defaultValue={of.timezone} />
      <Select
        name="week_start"
        label={t("profile.weekStart")}
        defaultValue={of.week_start}
        options={weekStarts(shownIn)}
      />
    </>
  );
}

export function ZoneField(props: { label: string; defaultValue: string; disabled?: boolean }) {
  const zones = useId();
  return (
    <>
      <Field name="timezone" {...props} required maxLength={100} list={zones} />
      <datalist id={zones}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

/** Possible first days of the week. 1 January 2024 was a Monday. */
const weekStarts = (locale: string) =>
  (
    [
      ["monday", 1],
      ["saturday", 6],
      ["sunday", 7],
    ] as const
  ).map(
    ([day, date]) =>
      [
        day,
        new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2024, 0, date))),
      ] as const,
  );
