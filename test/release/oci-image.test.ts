// The image of a release: an OCI layout with the same bytes each time, which Docker loads and runs.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageProgram, imageArchive } from '../../tools/release/image.ts';
import { run } from '../../tools/release/run.ts';
import { NO_DOCKER } from '../containers/machine.ts';
import { Docker } from '../deploy/docker.ts';
import { freePort } from '../free-port.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(300_000);

const BINARY = join(import.meta.dir, '..', '..', 'dist/svc');
const WHY_NOT =
  Bun.which('apt-get') === null || Bun.which('dpkg-deb') === null
    ? 'its C library is from Debian'
    : undefined;
/** Any file stands for the program where it is not started. */
const SMALL = ['amd64', 'arm64'].map(
  (architecture) => ({ architecture, program: '/bin/true' }) as ImageProgram,
);

function archiveOf(folder: string, programs: readonly ImageProgram[]): string {
  mkdirSync(folder, { recursive: true });
  return imageArchive(
    { version: '1.2.3', commit: 'c0ffee', epochS: 1_700_000_000, folder, level: 1 },
    programs,
  );
}

describe.skipIf(WHY_NOT !== undefined)(`an image${WHY_NOT ? ` (skipped: ${WHY_NOT})` : ''}`, () => {
  let folder: TemporaryFolder;
  let archive: string;
  let layout: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    archive = archiveOf(join(folder.path, 'one'), SMALL);
    layout = join(folder.path, 'layout');
    mkdirSync(layout);
    run(['tar', '-xf', archive, '-C', layout]);
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  const readBlob = (digest: string) =>
    JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'));
  const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const images = () => {
    const [{ digest }] = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests;
    return readBlob(digest).manifests as { digest: string; platform: { architecture: string } }[];
  };

  test('is an OCI layout with both processors, in which every blob has its digest as its name', () => {
    expect(JSON.parse(readFileSync(join(layout, 'oci-layout'), 'utf8'))).toEqual({
      imageLayoutVersion: '1.0.0',
    });
    const blobs = readdirSync(join(layout, 'blobs/sha256'));
    expect(blobs.filter((name) => digestOf(join(layout, 'blobs/sha256', name)) !== name)).toEqual([]);
    expect(images().map(({ platform }) => platform.architecture)).toEqual(['amd64', 'arm64']);
    for (const { digest, platform } of images()) {
      const { config, layers } = readBlob(digest);
      const { architecture, rootfs } = readBlob(config.digest);
      expect(architecture).toBe(platform.architecture);
      const unpacked = layers.map((layer: { digest: string }) => {
        const bytes = Bun.gunzipSync(readFileSync(join(layout, 'blobs', layer.digest.replace(':', '/'))));
        return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      });
      expect(rootfs.diff_ids).toEqual(unpacked);
    }
  });

  test.each([
    ['amd64', 'lib64/ld-linux-x86-64.so.2', 'lib/x86_64-linux-gnu/libc.so.6'],
    ['arm64', 'lib/ld-linux-aarch64.so.1', 'lib/aarch64-linux-gnu/libc.so.6'],
  ])('for %s has the program, its C library and certificates, and no shell', (architecture, ...libraries) => {
    const image = images().find(({ platform }) => platform.architecture === architecture);
    const { layers } = readBlob(image?.digest ?? '');
    const files = layers.flatMap((layer: { digest: string }) =>
      run(['tar', '-tzf', join(layout, 'blobs', layer.digest.replace(':', '/'))])
        .trim()
        .split('\n'),
    );
    for (const file of [
      'usr/local/bin/svc',
      'usr/share/doc/svc/NOTICE',
      'etc/ssl/certs/ca-certificates.crt',
      'etc/passwd',
      ...libraries,
    ])
      expect(files).toContain(file);
    const programs = files.filter((file: string) => /(?:^|\/)s?bin\/./.test(file));
    expect(programs).toEqual(['usr/local/bin/svc']);
    expect(files.filter((file: string) => /\b(?:ba|da|z)?sh$/.test(file))).toEqual([]);
  });

  test('has the same bytes in another folder, with another umask and from a file with another date', () => {
    const other = join(folder.path, 'else', 'where');
    mkdirSync(other, { recursive: true });
    const program = join(other, 'true');
    copyFileSync('/bin/true', program);
    run(['touch', '--date=2001-02-03', program]);
    const umask = process.umask(0o077);
    try {
      const again = archiveOf(
        join(other, 'out'),
        SMALL.map((image) => ({ ...image, program })),
      );
      expect(digestOf(again)).toBe(digestOf(archive));
    } finally {
      process.umask(umask);
    }
  });
});

/** The archive with the real program has sixty megabytes. */
const LONG = process.env.SVC_TEST_LONG !== undefined && NO_DOCKER === undefined;
if (LONG)
  describe('the image in Docker', () => {
    let folder: TemporaryFolder;
    let docker: Docker;
    beforeAll(async () => {
      if (!existsSync(BINARY)) throw new Error(`${BINARY}: npm run build`);
      folder = await temporaryFolder();
      docker = await Docker.start();
      const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
      const archive = archiveOf(folder.path, [{ architecture, program: BINARY }]);
      await docker.run('load', '--input', archive);
    });
    afterAll(async () => {
      await docker?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    });

    test('runs a hub that answers over HTTP, as a user without rights, until it is stopped', async () => {
      const port = await freePort();
      const settings = ['--env', `SVC_PORT=${port}`, '--env', `SVC_HUB_URL=http://127.0.0.1:${port}`];
      const rights = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--read-only'];
      await docker.run(
        'run',
        '--detach',
        '--name',
        'hub',
        '--network',
        'host',
        ...settings,
        ...rights,
        'svc:1.2.3',
      );
      try {
        await docker.logged('hub', /the hub listens/);
        const health = await fetch(`http://127.0.0.1:${port}/health`);
        expect(await health.json()).toMatchObject({ status: 'ok', store: 'ok' });
        expect(await docker.run('exec', 'hub', 'svc', 'health')).toContain('ok');
        const link = await docker.run('exec', 'hub', 'svc', 'admin', 'sign-in-link', 'ada@example.com');
        expect(link).toStartWith(`http://127.0.0.1:${port}/login/`);
        const shell = docker.run('exec', 'hub', 'sh', '-c', 'true');
        expect(await shell.catch((error: Error) => error.message)).toContain('not found');
        await docker.run('stop', '--time', '45', 'hub');
        expect(await docker.run('inspect', '--format', '{{.State.ExitCode}} {{.Config.User}}', 'hub')).toBe(
          '0 8787:8787',
        );
      } finally {
        await docker.run('rm', '--force', '--volumes', 'hub');
      }
    });
  });
