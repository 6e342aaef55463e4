import type { Page } from '../page-of-items.ts';
/** The end of a page in responses of routes with a scan limit (decision 62, reads apart from calls). */
export function endOfPage({ nextCursor, isPartial }: Omit<Page<never>, 'items'>) {
  return { next_cursor: nextCursor ?? null, ...(isPartial && { partial: true as const }) };
}
