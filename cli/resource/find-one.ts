import { Failure } from '../failure.ts';
import type { ApiPage } from './action.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The only item of a list with this id or name. Throws a `Failure` if there is none, or if several have the name. */
export async function findOne<Item extends Named>(
  what: string,
  wanted: string,
  page: (cursor: string | undefined) => Promise<ApiPage<Item>>,
): Promise<Item> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await page(cursor);
    for (const item of items) {
      if (item.id === wanted) return item;
      if (item.name === wanted) found.push(item);
    }
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  const [one, another] = found;
  if (one === undefined) throw new Failure(`there is no ${what} "${wanted}"`, { code: 'not_found' });
  if (another === undefined) return one;
  throw new Failure(`several are named "${wanted}": give the id of one`, {
    details: found.map(({ id }) => id),
  });
}
