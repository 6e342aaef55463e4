import { expect, test } from 'bun:test';
import { createStore } from '../../build/create-store.ts';
import { NOW_MS, newId, STORE_OPTIONS } from '../db/fixtures/samples.ts';
import { onBothDatabases } from '../db/fixtures/stores.ts';
import { EnvelopeVault } from '../vault/envelope-vault.ts';

const mail = (createdAtMs: number) => ({
  id: newId(),
  to: 'ada@example.org',
  subject: 'Sign in to svc',
  text: 'the link',
  html: '<p>the link</p>',
  createdAtMs,
});

onBothDatabases(({ open, newLocation }) => {
  test('a claimed mail is due again when the claim expires, as after a crash', async () => {
    await using store = await open();
    const only = mail(NOW_MS);
    await store.mailOutbox.add(only);
    await store.mailOutbox.claimDue(NOW_MS, NOW_MS + 100);
    expect(await store.mailOutbox.claimDue(NOW_MS + 99, NOW_MS + 199)).toBeUndefined();
    expect(await store.mailOutbox.claimDue(NOW_MS + 100, NOW_MS + 200)).toEqual({ ...only, tries: 0 });
  });

  test('a mail under a missing master key is listed as unreadable, and not sent', async () => {
    const location = await newLocation();
    const [lost, readable] = [mail(NOW_MS), mail(NOW_MS + 1)];
    {
      await using before = await open(location);
      await before.mailOutbox.add(lost);
    }
    const vault = new EnvelopeVault(new Uint8Array(32).fill(8));
    await using store = await createStore(location, { ...STORE_OPTIONS, vault });
    await store.mailOutbox.add(readable);
    expect(await store.mailOutbox.claimDue(NOW_MS + 5, NOW_MS + 9)).toEqual({ ...readable, tries: 0 });
    expect(await store.mailOutbox.claimDue(NOW_MS + 5, NOW_MS + 9)).toBeUndefined();
    expect((await store.mailOutbox.find(lost.id))?.text).toContain('another master key');
  });

  test('two hubs that claim at once get each mail once', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const mails = Array.from({ length: 30 }, (_, n) => mail(NOW_MS + n));
    for (const each of mails) await one.mailOutbox.add(each);
    const claimed = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? one : other).mailOutbox.claimDue(NOW_MS + 100, NOW_MS + 5_000),
      ),
    );
    const ids = claimed.flatMap((each) => (each === undefined ? [] : [each.id]));
    expect(ids.sort()).toEqual(mails.map(({ id }) => id).sort());
  });

  test('a mail is due at once, due again at its retry, and no longer after it was sent', async () => {
    await using store = await open();
    const { mailOutbox } = store;
    const [first, second] = [mail(NOW_MS), mail(NOW_MS + 1)];
    await mailOutbox.add(first);
    await mailOutbox.add(second);
    const claim = (atMs: number) => mailOutbox.claimDue(atMs, atMs + 1_000);
    expect(await claim(NOW_MS)).toEqual({ ...first, tries: 0 });
    expect(await claim(NOW_MS)).toBeUndefined();
    expect(await claim(NOW_MS + 1)).toEqual({ ...second, tries: 0 });

    await mailOutbox.failed(first.id, NOW_MS + 60, 'connection refused');
    await mailOutbox.sent(second.id, NOW_MS + 2);
    expect(await claim(NOW_MS + 59)).toBeUndefined();
    expect(await claim(NOW_MS + 60)).toEqual({ ...first, tries: 1 });
    expect(await claim(NOW_MS + 5_000)).toEqual({ ...first, tries: 1 });
    expect(await mailOutbox.recent(10)).toEqual([
      { ...second, sentAtMs: NOW_MS + 2 },
      { ...first, sentAtMs: undefined },
    ]);
    expect(await mailOutbox.recent(1)).toHaveLength(1);
  });
});
