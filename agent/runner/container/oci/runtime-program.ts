import { rmSync, writeFileSync } from 'node:fs';
import { EngineError } from '../engine.ts';
import { mount, unmount } from '../mounting.ts';

/** The program that is called for each container. */
export interface Runtime {
  readonly path: string;
  readonly version: string;
}

/** Rejects with an {@link EngineError} if the program is missing or may not be called. */
export async function findRuntime(name: string): Promise<Runtime> {
  const path = Bun.which(name);
  if (path === null)
    throw new EngineError(`no container runtime: there is no program "${name}" (Debian: apt install crun)`);
  if (process.getuid?.() !== 0) throw new EngineError(`${name} is called directly by root only`);
  const child = Bun.spawn([path, '--version'], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const [firstLine = name] = (await new Response(child.stdout).text()).split('\n');
  return { path, version: firstLine.replace(' version', '') };
}

/**
 * Mounts the runtime at a read-only path. crun makes such a mount of itself at every start, so that no container can change
 * it, and executes itself again from there, unless it already runs from one.
 */
export async function mountProgram(runtime: string, path: string): Promise<void> {
  await unmount(path);
  writeFileSync(path, '', { mode: 0o600 });
  await mount(['--bind', '-o', 'ro,nosuid,nodev'], runtime, path);
}

export async function unmountProgram(path: string): Promise<void> {
  await unmount(path);
  rmSync(path, { force: true });
}
