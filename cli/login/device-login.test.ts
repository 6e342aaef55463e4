import { expect, test } from 'bun:test';
import { failureOf } from '../../hub/platform/db/fixtures/failure-of.ts';
import { type DeviceLogin, untilConfirmed } from './device-login.ts';

const TOKEN = {
  access_token: 'svc_pat_ada',
  token_type: 'Bearer' as const,
  expires_in: 2_592_000,
  username: 'ada',
};
const BEGUN: DeviceLogin = {
  device_code: 'device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'http://hub/device',
  verification_uri_complete: 'http://hub/device?user_code=WDJB-MJHT',
  expires_in: 60,
  interval: 0.001,
};

const refusal =
  (code: string, status = 400) =>
  () =>
    Response.json({ error: code, error_description: 'for people', code }, { status });
const pending = refusal('authorization_pending');

/** A service that answers one question after the other like this, and every later one like the last. */
function service(...answers: (() => Response)[]) {
  const requests: unknown[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      requests.push(await request.json());
      return (answers[requests.length - 1] ?? (answers.at(-1) as () => Response))();
    },
  });
  const at = { baseUrl: server.url.href.replace(/\/$/, ''), username: undefined, credential: undefined };
  return { at, requests, [Symbol.asyncDispose]: () => server.stop(true) };
}

test('the program polls until the person has approved, and polls again after a failed request', async () => {
  const broken = () => new Response('bad gateway', { status: 502 });
  await using hub = service(pending, broken, pending, () => Response.json(TOKEN));
  expect(await untilConfirmed(hub.at, BEGUN)).toEqual(TOKEN);
  expect(hub.requests).toEqual(Array.from({ length: 4 }, () => ({ device_code: 'device' })));
});

test('a connection that breaks is made again', async () => {
  const { promise: broken, resolve } = Promise.withResolvers<void>();
  const breaking = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.terminate();
        resolve();
      },
    },
  });
  const { port } = breaking;
  const at = { baseUrl: `http://127.0.0.1:${port}`, username: undefined, credential: undefined };
  const confirmed = untilConfirmed(at, BEGUN);
  await broken;
  breaking.stop(true);
  using _ = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => Response.json(TOKEN) });
  expect(await confirmed).toEqual(TOKEN);
});

test.each([
  ['access_denied', 'denied in the browser'],
  ['expired_token', 'not confirmed in time'],
])('%s ends it', async (code, message) => {
  await using hub = service(pending, refusal(code));
  const failure = await failureOf(untilConfirmed(hub.at, BEGUN));
  expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining(message) });
});

test('its own time ends it, too', async () => {
  await using hub = service(pending);
  const failure = await failureOf(untilConfirmed(hub.at, { ...BEGUN, expires_in: 0.05 }));
  expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('in time') });
});

test('another refusal is shown with its message', async () => {
  await using hub = service(refusal('not_found', 404));
  const failure = await failureOf(untilConfirmed(hub.at, BEGUN));
  expect(failure).toMatchObject({ exitCode: 2, message: 'not_found' });
});
