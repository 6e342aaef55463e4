import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lock } from '@svc/agent/link/instance/claim-instance';
import { buildRunnerImage } from '../../agent/runner/container/image/build-image.ts';

const PROGRAMS = ['mmdebstrap', 'mkfs.ext4', 'mount'];

/** Why no container can be made here, for the names of tests that are skipped; undefined: they run. */
export const NO_CONTAINERS: string | undefined = whyNoContainers();

/** The same for those of Docker. */
export const NO_DOCKER: string | undefined = whyNoContainers('dockerd');

/** The condition for `describe.skipIf`; its name in a report is the reason. */
export function inContainers(what: string, problem = NO_CONTAINERS): string {
  return problem === undefined ? what : `${what} (skipped: ${problem})`;
}

export function whyNoContainers(engine = 'crun'): string | undefined {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'containers need root';
  const missing = [engine, ...PROGRAMS].filter((program) => Bun.which(program) === null);
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  return undefined;
}

/** The folder of the runner image that all tests of this machine share; the first test builds it. */
export async function testImage(): Promise<string> {
  makeUniform();
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc-test', 'runner-image');
  mkdirSync(folder, { recursive: true });
  const release = await locked(join(folder, 'lock'));
  try {
    await buildRunnerImage({ folder });
    return folder;
  } finally {
    release();
  }
}

async function locked(file: string): Promise<() => void> {
  for (;;) {
    const release = lock(file);
    if (release !== undefined) return release;
    await Bun.sleep(200);
  }
}

const UNIFIED = '/sys/fs/cgroup/unified';
const HUGETLB = '/sys/fs/cgroup/hugetlb';

/**
 * Where most controllers are in the first version of control groups and one is still in the second, crun refuses to start
 * anything: then that one is mounted like the others.
 */
function makeUniform(): void {
  const controllers = `${UNIFIED}/cgroup.controllers`;
  if (!existsSync(controllers) || readFileSync(controllers, 'utf8').trim() !== 'hugetlb') return;
  mkdirSync(HUGETLB, { recursive: true });
  Bun.spawnSync(['mount', '-t', 'cgroup', '-o', 'hugetlb', 'cgroup', HUGETLB]);
}
