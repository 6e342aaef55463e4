// `svc admin runner-image build`: what it finds, and what it says where it cannot build.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { RECIPE } from '@svc/agent/runner/container/image/build-image';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { inContainers, NO_CONTAINERS, testImage } from './machine.ts';

describe.skipIf(NO_CONTAINERS !== undefined)(inContainers('svc admin runner-image build'), () => {
  let folder: TemporaryFolder;
  let built: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    built = await testImage();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const build = (args: readonly string[], wrapper: readonly string[] = []) =>
    runSvc(['admin', 'runner-image', 'build', ...args], {
      cwd: folder.path,
      wrapper,
      env: { HOME: folder.path },
    });
  /** As on a machine that has nothing to build it with. */
  const unable = ['env', `PATH=${join(import.meta.dir, 'nowhere')}`];

  test('leaves an intact image alone', async () => {
    const { exitCode, stdout } = await build(['--image', built, '--json'], unable);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ folder: built, built: false });
  });

  test('does not take an image for good that was changed by a byte', async () => {
    const changed = folder.path;
    for (const name of ['image.tar', 'image.json']) copyFileSync(join(built, name), join(changed, name));
    expect((await build(['--image', changed], unable)).exitCode).toBe(0);
    appendFileSync(join(changed, 'image.tar'), '\0');
    const { exitCode, stderr } = await build(['--image', changed], unable);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('mmdebstrap, which is not installed (Debian: apt install mmdebstrap)');
  });

  test('says that it needs root', async () => {
    const { exitCode, stderr } = await build(
      ['--image', join('/tmp', 'svc-not-there')],
      ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
    );
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is built by root'),
    });
  });

  test('says which file of sources is not there, and leaves nothing half built', async () => {
    const target = join(folder.path, 'new');
    const { exitCode, stderr } = await build(['--image', target, '--sources', '/nowhere.sources']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('there is no file of apt sources /nowhere.sources');
    expect(existsSync(join(target, 'image.json'))).toBe(false);
  });

  test('builds what the Dockerfile builds: from the same list, with the same last step', async () => {
    const dockerfile = await Bun.file(join(import.meta.dir, '../../runner-image/Dockerfile')).text();
    expect(dockerfile).toContain('FROM debian:12-slim');
    expect(dockerfile).toContain('COPY packages.txt finish.sh');
    expect(RECIPE.suite).toBe('bookworm');
    expect([...RECIPE.packages].sort()).toEqual([
      'bash',
      'ca-certificates',
      'curl',
      'git',
      'jq',
      'nodejs',
      'python3',
    ]);
  });
});
