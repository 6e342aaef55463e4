import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { orStop, type Server, stop } from './server.ts';

const ROOT = join(import.meta.dir, '..', '..');
const BINARY = join(ROOT, 'dist', 'svc');
const SOURCE = join(ROOT, 'cli', 'svc.ts');

/** The built program, where `npm run build` has made one. */
export function svcBinary(): string | undefined {
  return existsSync(BINARY) ? BINARY : undefined;
}

/** Our own program as standalone server: the binary if it is built, else the source. */
export async function startSvc(config: string): Promise<Server> {
  const binary = svcBinary();
  const program = binary ? [binary] : [process.execPath, SOURCE];
  const { url, stop: dispose } = await serve(program, config);
  return {
    description: binary ? 'svc, the binary dist/svc' : 'svc, the source through Bun (dist/svc is not built)',
    url,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Starts `svc serve` on a free port and settles at its line that says where it listens. */
export async function serve(program: readonly string[], config: string) {
  const argv = [...program, 'serve', '--host', '127.0.0.1', '--port', '0', '--json', '--config', config];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = JSON.parse(await orStop(child, firstLine(child.stdout))) as { readonly url: string };
  return { url: ready.url.replace(/\/$/, ''), stop: () => stop(child) };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error(`svc serve ended before it was ready: ${JSON.stringify(text)}`);
}
