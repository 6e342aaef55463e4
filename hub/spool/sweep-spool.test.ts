import { expect, test } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { NOW_MS, newExecution, newId, succeeded } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { FolderFiles } from '../platform/files/folder-files.ts';
import { sweepSpool } from './sweep-spool.ts';
import { SPOOL_UPLOAD_MS } from './upload-pace.ts';

const store = storeOfTests();
const clock = { nowMs: () => NOW_MS };
const LONG_AGO_MS = NOW_MS - 2 * SPOOL_UPLOAD_MS;

async function* body() {
  yield new TextEncoder().encode('abc');
}

test('a sweep removes the bodies of ended calls and of old uploads without a record, and no others', async () => {
  await using folder = await temporaryFolder();
  const files = new FolderFiles(folder.path);
  const { executions } = store();
  const [pending, running, ended] = [newId(LONG_AGO_MS - 9), newId(LONG_AGO_MS - 9), newId(NOW_MS)];
  await executions.accept(newExecution({ id: pending, state: 'pending_approval' }));
  await executions.accept(newExecution({ id: running }));
  await executions.accept(newExecution({ id: ended }));
  await executions.finish(succeeded(ended), []);
  const [uploading, orphan] = [newId(LONG_AGO_MS), newId(LONG_AGO_MS - 1)];
  for (const executionId of [pending, running, ended, uploading, orphan])
    await files.write({ executionId, id: 1 }, body());
  await mkdir(join(folder.path, 'not-ours'));

  await sweepSpool({ ledger: executions, files, clock }, AbortSignal.abort());
  expect((await readdir(folder.path)).length).toBe(6);
  await sweepSpool({ ledger: executions, files, clock }, new AbortController().signal);

  expect((await readdir(folder.path)).toSorted()).toEqual(
    ['not-ours', pending, running, uploading].toSorted(),
  );
});
