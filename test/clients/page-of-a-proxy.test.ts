// A page of a proxy with status 200 is an error of the client, not one of its JSON parser.
import { expect, test } from 'bun:test';
import { ConnectionError, SvcClient } from '../../clients/typescript/src/client.ts';
import { failureOf } from '../../hub/platform/db/fixtures/failure-of.ts';
import { runPython } from './run-python.ts';

test.each(['<p>please sign in</p>', '[]'])('svc-client: %s is a SvcConnectionError', async (body) => {
  using proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(body) });
  const program = `
from svc_client import SvcClient, SvcError
client = SvcClient("${proxy.url.origin}", username="ada", max_retries=0)
for ask in (lambda: client.call("hello"), lambda: client.execution("exe_1")):
    try:
        ask()
    except SvcError as error:
        print(type(error).__name__)
`;
  expect(await runPython(program)).toBe('SvcConnectionError\nSvcConnectionError\n');
});

test('@svc/client: it is a ConnectionError', async () => {
  using proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('<p>sign in</p>') });
  const client = new SvcClient({ baseUrl: proxy.url.origin, username: 'ada', maxRetries: 0 });
  expect(await failureOf(client.call('hello'))).toBeInstanceOf(ConnectionError);
  expect(await failureOf(client.execution('exe_1'))).toBeInstanceOf(ConnectionError);
});
