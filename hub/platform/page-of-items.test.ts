import { expect, test } from 'bun:test';
import { allItems } from '@svc/core/api/client/client';
import fc from 'fast-check';
import { pageOf } from './page-of-items.ts';

const same = (text: string) => text;

test('the pages of a list contain each item once, in one order, for any page size', async () => {
  const lists = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lists, fc.integer({ min: 1, max: 5 }), async (list, limit) => {
      const pages: (readonly string[])[] = [];
      const read = async (cursor: string | undefined) => {
        const page = pageOf(list, same, { limit, cursor });
        pages.push(page.items);
        return page;
      };
      expect(await Array.fromAsync(allItems(read))).toEqual(list.toSorted());
      expect(pages.length).toBe(Math.max(1, Math.ceil(list.length / limit)));
    }),
  );
});

test('a page continues after an item that was removed meanwhile', () => {
  expect(pageOf(['a', 'c', 'd'], same, { limit: 1, cursor: 'b' })).toEqual({
    items: ['c'],
    next_cursor: 'c',
  });
});
