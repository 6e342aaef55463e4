import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { EngineError } from '../engine.ts';
import type { RunnerImage } from '../image/runner-image.ts';
import { HOST_IDS } from './runtime-config.ts';

const ENTRIES_PER_TURN = 500;

/**
 * The root file system of all containers, unpacked once for each image and read-only in every container. Its files belong
 * to the users of the containers, which have other ids on the host.
 */
export async function unpackedRoot({ tarFile, digest }: RunnerImage, rootsFolder: string): Promise<string> {
  const root = join(rootsFolder, digest);
  if (existsSync(root)) return root;
  mkdirSync(rootsFolder, { recursive: true, mode: 0o711 });
  const unfinished = join(rootsFolder, `${digest}.unfinished`);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o755 });
  await untar(tarFile, unfinished);
  await shiftOwners(unfinished);
  renameSync(unfinished, root);
  return root;
}

async function untar(tarFile: string, folder: string): Promise<void> {
  const command = ['tar', '--extract', '--numeric-owner', '--preserve-permissions', '--file', tarFile];
  const tar = Bun.spawn([...command, '--directory', folder], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const complaint = await new Response(tar.stderr).text();
  if ((await tar.exited) === 0) return;
  throw new EngineError(`the runner image ${tarFile} cannot be unpacked: ${complaint.trim()}`);
}

/** A change of owner also removes set-user-ID. */
async function shiftOwners(root: string): Promise<void> {
  const paths = [root];
  for (let done = 0, path = paths.pop(); path !== undefined; path = paths.pop(), done += 1) {
    if (done % ENTRIES_PER_TURN === 0) await setImmediate();
    const found = lstatSync(path);
    // A file with several names, such as perl, appears once for each.
    if (found.uid < HOST_IDS.first) lchownSync(path, HOST_IDS.first + found.uid, HOST_IDS.first + found.gid);
    if (found.isDirectory()) for (const name of readdirSync(path)) paths.push(join(path, name));
  }
}
