// Formats amounts of money and file sizes.

/** Takes the amount in the smallest unit of the currency. */
export function moneyText(amount: number, currency: string, locale?: string): string {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const units = ["gigabyte", "terabyte"] as const;
export function bytesText(bytes: number, locale?: string): string {
  const gibibytes = bytes / 1024 ** 3;
  const [count, unit] = gibibytes >= 1024 ? [gibibytes / 1024, units[1]] : [gibibytes, units[0]];
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(count);
}
