// A client waits for a silent command however long it takes, though a proxy cuts each of its streams.
import { expect, test } from 'bun:test';
import { SvcClient } from '../../clients/typescript/src/client.ts';
import { silentService } from '../silent-service.ts';
import { runPython } from './run-python.ts';

/** More than `RETRIES` allows without a sign of the service. */
const CUTS = 4;
const RETRIES = 1;

test('@svc/client: comments of the service use up no retries', async () => {
  using service = silentService(CUTS);
  const client = new SvcClient({ baseUrl: service.url, username: 'ada', maxRetries: RETRIES });
  expect(await client.call('quiet')).toMatchObject({ output: 'at last\n' });
  expect(service.streams()).toBe(CUTS + 1);
});

test('svc-client: comments of the service use up no retries', async () => {
  using service = silentService(CUTS);
  const program = `
from svc_client import SvcClient
print(SvcClient("${service.url}", username="ada", max_retries=${RETRIES}).call("quiet")["output"], end="")
`;
  expect(await runPython(program)).toBe('at last\n');
  expect(service.streams()).toBe(CUTS + 1);
});
