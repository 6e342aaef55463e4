import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cgroups } from './cgroup/cgroups.ts';
import { OciContainer, PID_FILE } from './oci-container.ts';

export interface Starting {
  /** The path of the runtime, and the name that it is called by. */
  readonly program: string;
  readonly argv0: string;
  readonly stateFolder: string;
  readonly cgroups: Cgroups;
}

/** Calls the runtime for one container. After a failure nothing remains on disk. */
export function startContainer(
  { program, argv0, stateFolder, cgroups }: Starting,
  id: string,
  config: object,
): OciContainer {
  const bundle = join(stateFolder, 'bundles', id);
  try {
    mkdirSync(bundle, { mode: 0o700 });
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
    const options = ['run', '--bundle', bundle, '--pid-file', join(bundle, PID_FILE), id];
    const runtime = Bun.spawn([program, '--root', join(stateFolder, 'runtime'), ...options], {
      argv0,
      env: { PATH: process.env.PATH ?? '' },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    return new OciContainer({ id, runtime, bundle, cgroups });
  } catch (error) {
    rmSync(bundle, { recursive: true, force: true });
    throw error;
  }
}
