import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { firstLine } from './first-line.ts';
import { orStop, type Server, stop } from './server.ts';

const ROOT = join(import.meta.dir, '..', '..');
const SOURCE = join(ROOT, 'cli', 'svc.ts');
/** The program as the source has it. */
export const SVC_SOURCE: readonly string[] = [process.execPath, SOURCE];
const BINARY = join(ROOT, 'dist', 'svc');
const ROOMS = '{core,agent,hub,cli}/**/*.ts';

/** Why there is no binary to measure. */
export const NO_BINARY = 'dist/svc is not built, or older than the source (npm run build)';

/** The built program: the one that SVC_BINARY names, else what `npm run build` has made of the source as it is now. */
export function svcBinary(): string | undefined {
  const { SVC_BINARY } = process.env;
  if (SVC_BINARY) return resolve(ROOT, SVC_BINARY);
  return existsSync(BINARY) && statSync(BINARY).mtimeMs > sourceChangedMs() ? BINARY : undefined;
}

/** How `svc` is started: the binary if it is built, else the source. */
export function svcProgram(): { readonly argv: readonly string[]; readonly description: string } {
  const binary = svcBinary();
  return binary
    ? { argv: [binary], description: 'svc, the binary' }
    : { argv: SVC_SOURCE, description: `svc, the source through Bun: ${NO_BINARY}` };
}

function sourceChangedMs(): number {
  const all = [...new Bun.Glob(ROOMS).scanSync({ cwd: ROOT, onlyFiles: true })];
  // The packages of a workspace are not its source, and a fresh install makes them new.
  const files = all.filter((file) => !file.includes('/node_modules/'));
  return Math.max(...files.map((file) => statSync(join(ROOT, file)).mtimeMs));
}

/** Our own program as standalone server. */
export async function startSvc(config: string): Promise<Server & { readonly pid: number }> {
  const { argv, description } = svcProgram();
  const { url, pid, stop: dispose } = await serve(argv, config);
  return { description, url, pid, [Symbol.asyncDispose]: dispose };
}

/** Starts `svc serve` on a free port and settles at its line that says where it listens. */
export async function serve(program: readonly string[], config: string) {
  const argv = [...program, 'serve', '--host', '127.0.0.1', '--port', '0', '--json', '--config', config];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = JSON.parse(await orStop(child, firstLine(child.stdout))) as { readonly url: string };
  return { url: ready.url.replace(/\/$/, ''), pid: child.pid, stop: () => stop(child) };
}
