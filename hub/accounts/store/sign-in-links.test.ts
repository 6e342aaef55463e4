import { expect, test } from 'bun:test';
import { HOUR_MS, NOW_MS, newId } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

onBothDatabases(({ shared }) => {
  test('a link is used once by many concurrent requests', async () => {
    const { signInLinks } = await shared();
    const link = {
      id: newId(),
      email: 'ada@example.org',
      createdAtMs: NOW_MS,
      expiresAtMs: NOW_MS + HOUR_MS,
      usedAtMs: undefined,
    };
    await signInLinks.add(link);
    expect(await signInLinks.find(link.id)).toEqual(link);
    const uses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => signInLinks.use(link, NOW_MS + index)),
    );
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await signInLinks.find(link.id)).toEqual({ ...link, usedAtMs: NOW_MS + uses.indexOf(true) });
  });

  test('an unknown link is not found and cannot be used', async () => {
    const { signInLinks } = await shared();
    expect(await signInLinks.find(newId())).toBeUndefined();
    expect(await signInLinks.use({ id: newId(), email: 'ada@example.org' }, NOW_MS)).toBe(false);
  });
});
