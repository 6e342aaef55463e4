// A stopped server ends, even if its log has no reader (decision 53, the program).
import { expect, test } from 'bun:test';
import { freePort } from '../free-port.ts';
import { startSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** More than a pipe holds: each call is logged with some hundred bytes. */
const ROUNDS = 80;
const CONCURRENCY = 50;

test('a hub whose log has no reader answers calls, and ends after a signal', async () => {
  await using folder = await temporaryFolder();
  const url = `http://127.0.0.1:${await freePort()}`;
  await using hub = startSvc(['hub', '--port', new URL(url).port], {
    cwd: folder.path,
    env: { SVC_DATA_DIR: folder.path, SVC_LOG_LEVEL: 'debug', SVC_RATE_LIMITS: 'off' },
  });
  // The first line says that the hub listens. The others stay in the pipe.
  const log = hub.stderr.getReader();
  await log.read();
  const statusOfCall = async () => {
    const answer = await fetch(`${url}/v1/ada/unknown`, { method: 'POST' });
    await answer.text();
    return answer.status;
  };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const statuses = await Promise.all(Array.from({ length: CONCURRENCY }, statusOfCall));
    expect(new Set(statuses)).toEqual(new Set([401]));
  }
  hub.kill('SIGTERM');
  expect(await hub.exited).toBe(0);
}, 60_000);
