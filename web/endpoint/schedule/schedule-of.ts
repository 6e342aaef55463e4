import { api } from '../../api/client.ts';
import type { Item } from '../../api/read.ts';

const PAGE = 100;

/** The schedule of one endpoint, found by reading the list of schedules page by page. */
export async function scheduleOf(slug: string): Promise<Item<'listSchedules'> | undefined> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await api.listSchedules({
      query: { limit: PAGE, ...(cursor !== undefined && { cursor }) },
    });
    const found = items.find(({ endpoint }) => endpoint === slug);
    if (found !== undefined) return found;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}
