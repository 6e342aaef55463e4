import { expect, test } from 'bun:test';
import { failureOf } from '../../hub/platform/db/fixtures/failure-of.ts';
import { silentService } from '../../test/silent-service.ts';
import { follow } from './follow.ts';

const THING = { kind: 'execution', id: 'exe_1' } as const;
const at = (baseUrl: string) => ({ baseUrl, username: undefined, credential: undefined });
const noPause = async () => undefined;

test('a silent command is followed to its end, though each stream is cut after a comment', async () => {
  using service = silentService(25);
  const followed = await Array.fromAsync(follow(at(service.url), THING, '0', noPause));
  expect(followed).toEqual([{ id: '1', event: { type: 'done', exit_code: 0, duration_ms: 600_000 } }]);
  expect(service.streams()).toBe(26);
});

test.each([
  ['answers with a page', 'text/html', '<p>please wait</p>', 1, 'is no event stream'],
  ['sends an event that is no JSON', 'text/event-stream', 'data: {\n\n', 1, 'no JSON'],
  ['ends each stream at once', 'text/event-stream', '', 10, 'connection lost'],
])('a service that %s is not asked for ever', async (_, type, body, asked, message) => {
  let requests = 0;
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      requests += 1;
      return new Response(body, { headers: { 'content-type': type } });
    },
  });
  const failure = await failureOf(Array.fromAsync(follow(at(server.url.origin), THING, '0', noPause)));
  expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining(message) });
  expect(requests).toBe(asked);
});
