import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MovableClock } from '../../test/movable-clock.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { startStoreChecks } from './housekeeping.ts';

const FILE_BYTES = 4_096;

/** Starts the checks on a file, and waits for the first line in the log. */
async function firstCheck(memoryBytes: number) {
  await using folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.db'), new Uint8Array(FILE_BYTES));
  let checks = 0;
  const logged = Promise.withResolvers<string>();
  const log = (_facts: unknown, message?: string) => logged.resolve(message ?? '');
  const check = async () => {
    checks += 1;
    return [];
  };
  const config = { databaseUrl: undefined, dataDir: folder.path };
  const stop = startStoreChecks(config, { check }, new MovableClock(), { warn: log, info: log }, memoryBytes);
  const message = await logged.promise;
  stop();
  return { checks, message };
}

describe('the check for damage of a hub', () => {
  test('reads a file that is half as large as the memory', async () => {
    expect(await firstCheck(2 * FILE_BYTES)).toEqual({
      checks: 1,
      message: 'the store was checked for damage',
    });
  });

  test('leaves a larger file to svc admin check, and says so', async () => {
    const { checks, message } = await firstCheck(2 * FILE_BYTES - 1);
    expect(checks).toBe(0);
    expect(message).toContain('svc admin check');
  });
});
