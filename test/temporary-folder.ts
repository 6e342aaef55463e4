import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test, gone with it. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** @param parent default: the folder for temporary files */
export async function temporaryFolder(parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(parent, 'svc-test-')));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
