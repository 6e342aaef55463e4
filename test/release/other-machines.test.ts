// The programs of a release for machines that this one is not: each starts here under an emulator or with the libraries of its system,
// and answers a call.
import { beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDocumentation } from '../../tools/docs/build.ts';
import { compileFor } from '../../tools/release/binaries.ts';
import { downloadPackages, imagePackages } from '../../tools/release/image-packages.ts';
import { run } from '../../tools/release/run.ts';
import { TARGETS } from '../../tools/release/targets.ts';
import { buildWeb } from '../../tools/web/build.ts';
import { freePort } from '../free-port.ts';
import { Lines } from '../lines.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { muslLibraries } from './musl-libraries.ts';
import { whyNoRelease } from './release-world.ts';

const WHY_NOT = whyNoRelease();
const NAME = WHY_NOT === undefined ? 'a release' : `a release (skipped: ${WHY_NOT})`;
const VERSION = '0.1.0';
const MINUTES = 60_000;

interface Starter {
  /** The words before the name of the program that start it. */
  readonly starter: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How this machine starts programs of other machines. `folder` holds the libraries that `program` needs. */
const OTHER_MACHINES: Readonly<Record<string, (folder: string, program: string) => Starter>> = {
  'linux-arm64': (folder) => ({
    starter: ['qemu-aarch64-static', '-L', imagePackages(join(folder, 'packages'), 'arm64')],
  }),
  // A processor without AVX.
  'linux-x64-baseline': () => ({ starter: ['qemu-x86_64-static', '-cpu', 'Nehalem', '-L', '/'] }),
  'linux-x64-musl': (folder, program) => ({
    starter: [],
    env: { LD_LIBRARY_PATH: muslLibraries(folder, program, 'gcc') },
  }),
  'linux-arm64-musl': (folder, program) => {
    downloadPackages(folder, 'arm64', ['musl']);
    run(['sh', '-c', 'dpkg-deb --extract musl_*.deb root'], { cwd: folder });
    return {
      starter: ['qemu-aarch64-static', '-L', join(folder, 'root')],
      env: { LD_LIBRARY_PATH: muslLibraries(folder, program, 'aarch64-linux-gnu-gcc') },
    };
  },
};

/** The emulator takes 45 s for each program of the other processor, so the short run has one of the two. */
const MACHINES = Object.entries(OTHER_MACHINES).filter(
  ([name]) => process.env.SVC_TEST_LONG === '1' || name !== 'linux-arm64-musl',
);

const ONE_ENDPOINT = 'version: 1\nendpoints:\n  - name: hello\n    command: echo Hello, Ada\n';

describe.skipIf(WHY_NOT !== undefined)(NAME, () => {
  beforeAll(async () => {
    await buildWeb();
    await buildDocumentation();
  }, 5 * MINUTES);

  test.each(MACHINES)(
    'the program for %s starts here and answers a call',
    async (name, prepare) => {
      await using folder = await temporaryFolder();
      const target = TARGETS.find((one) => one.name === name);
      if (target === undefined) throw new Error(`no target ${name}`);
      const program = compileFor(target, folder.path, undefined);
      const { starter, env } = prepare(folder.path, program);
      writeFileSync(join(folder.path, 'svc.yaml'), ONE_ENDPOINT);
      const port = await freePort();
      const server = Bun.spawn(
        [...starter, program, 'serve', '--host', '127.0.0.1', '--port', String(port)],
        {
          cwd: folder.path,
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      try {
        const printed = new Lines(server.stdout);
        expect(await printed.find(/svc \d/)).toContain(`svc ${VERSION}`);
        await printed.find(/Ctrl-C/);
        const answer = await fetch(`http://127.0.0.1:${port}/hello`, {
          headers: { accept: 'application/json' },
        });
        expect(await answer.json()).toMatchObject({ output: 'Hello, Ada\n', exit_code: 0 });
      } finally {
        server.kill('SIGKILL');
        await server.exited;
      }
    },
    10 * MINUTES,
  );
});
