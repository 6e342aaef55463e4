// docs/guides/alerts.md has every event and every field of its payload.
import { expect, test } from 'bun:test';
import { PAYLOAD_DATA } from '@svc/core/alert/payload';
import { nextTryMs } from '@svc/core/alert/retry';

const text = await Bun.file(new URL('../../docs/guides/alerts.md', import.meta.url)).text();

test('every event and every field of its data is in the document', () => {
  const missing = Object.entries(PAYLOAD_DATA).flatMap(([event, { shape }]) =>
    [event, ...Object.keys(shape)].filter((word) => !text.includes(`\`${word}\``)),
  );
  expect(missing).toEqual([]);
});

test('the document says how often and how long it is tried', () => {
  const waitsSec = Array.from({ length: 6 }, (_, tried) => {
    const at = nextTryMs(tried + 1, { createdAtMs: 0, nowMs: 0, random: 0 });
    return (at ?? 0) / 1000;
  });
  expect(waitsSec).toEqual([10, 60, 300, 1_800, 7_200, 21_600]);
  expect(text).toContain('eight tries, after 10 seconds, 1, 5 and 30 minutes, 2 and 6 hours');
});
