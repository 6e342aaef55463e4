import { expect, test } from 'bun:test';
import { systemClock } from '../platform/system-clock.ts';
import { sseResponse } from './sse-response.ts';

test('a response without a reader, as after HEAD, stops before it begins', async () => {
  const done: string[] = [];
  const response = sseResponse(
    {
      request: new Request('http://hub.test/'),
      clock: systemClock,
      headers: {},
      subject: {},
      onLeave: () => done.push('left'),
      reportBug: String,
    },
    {
      produce: () => {
        done.push('produced');
        return Promise.resolve();
      },
      stop: () => done.push('stopped'),
    },
  );
  await response.body?.cancel();
  expect(done).toEqual(['stopped']);
});
