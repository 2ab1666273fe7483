// Reads pages of a list until the requested number of items is reached.
import type { Pages } from "@svc/client";

export async function upTo<Item>(
  limit: number,
  page: (input: { limit: number; cursor?: string }) => Pages<Item>,
): Promise<{ items: Item[]; has_more: boolean }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const found = await page({ limit: Math.min(100, limit - items.length), ...(cursor !== undefined && { cursor }) });
    items.push(...found.items);
    if (found.next_cursor === null) return { items, has_more: false };
    if (items.length >= limit) return { items, has_more: true };
    cursor = found.next_cursor;
  }
}
