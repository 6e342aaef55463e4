import { describe, expect, test } from 'bun:test';
import { type ListPage, withFirstPage, withNextPage } from './newest-first.ts';

const page = (
  ids: string,
  cursor: string | null = ids.at(-1) ?? null,
): ListPage<{ execution_id: string }> => ({
  items: [...ids].map((id) => ({ execution_id: id })),
  next_cursor: cursor,
});
const ids = ({ items }: ListPage<{ execution_id: string }>) =>
  items.map(({ execution_id: id }) => id).join('');

describe('a list with the newest first', () => {
  test('is its first page at first, and grows at its end', () => {
    const known = withFirstPage(undefined, page('zyx'));
    const grown = withNextPage(known, page('wv', null));
    expect([ids(grown), grown.next_cursor]).toEqual(['zyxwv', null]);
  });

  test('keeps the later pages when the first page is read again', () => {
    const known = withNextPage(withFirstPage(undefined, page('jih')), page('gfe'));
    const now = withFirstPage(known, page('lkj'));
    expect([ids(now), now.next_cursor]).toEqual(['lkjihgfe', 'e']);
  });

  test('drops entries that are gone from the first page', () => {
    const known = withNextPage(withFirstPage(undefined, page('jih')), page('gfe'));
    expect(ids(withFirstPage(known, page('kjh')))).toBe('kjhgfe');
  });

  test('starts again when there may be a gap', () => {
    const known = withNextPage(withFirstPage(undefined, page('jih')), page('gfe'));
    const now = withFirstPage(known, page('zyx'));
    expect([ids(now), now.next_cursor]).toEqual(['zyx', 'x']);
  });

  test('is only its first page when there is no more', () => {
    const known = withNextPage(withFirstPage(undefined, page('jih')), page('gfe'));
    expect(ids(withFirstPage(known, page('j', null)))).toBe('j');
    expect(ids(withFirstPage(known, page('', null)))).toBe('');
  });

  test('has nothing twice when a page overlaps', () => {
    expect(ids(withNextPage(page('jih'), page('hgf')))).toBe('jihgf');
  });
});
