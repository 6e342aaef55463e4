import { expect, test } from 'bun:test';
import { NOW_MS, newId } from './fixtures/samples.ts';
import { onBothDatabases } from './fixtures/stores.ts';

const mail = (createdAtMs: number) => ({
  id: newId(),
  to: 'ada@example.org',
  subject: 'Sign in to svc',
  text: 'the link',
  html: '<p>the link</p>',
  createdAtMs,
});

onBothDatabases(({ open }) => {
  test('a mail is due from the start, again when it is to be tried again, and no more once it was sent', async () => {
    await using store = await open();
    const { mailOutbox } = store;
    const [first, second] = [mail(NOW_MS), mail(NOW_MS + 1)];
    await mailOutbox.add(first);
    await mailOutbox.add(second);
    expect(await mailOutbox.due(NOW_MS, 10)).toEqual([{ ...first, tries: 0 }]);
    expect(await mailOutbox.due(NOW_MS + 1, 10)).toEqual([
      { ...first, tries: 0 },
      { ...second, tries: 0 },
    ]);
    expect(await mailOutbox.due(NOW_MS + 1, 1)).toHaveLength(1);

    await mailOutbox.failed(first.id, NOW_MS + 60, 'connection refused');
    await mailOutbox.sent(second.id, NOW_MS + 2);
    expect(await mailOutbox.due(NOW_MS + 59, 10)).toEqual([]);
    expect(await mailOutbox.due(NOW_MS + 60, 10)).toEqual([{ ...first, tries: 1 }]);
    expect(await mailOutbox.recent(10)).toEqual([
      { ...second, sentAtMs: NOW_MS + 2 },
      { ...first, sentAtMs: undefined },
    ]);
    expect(await mailOutbox.recent(1)).toHaveLength(1);
  });
});
