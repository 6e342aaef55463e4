import type { Shortage } from '@svc/core/shortage';
import { FileFolders } from './files/file-folders.ts';
import { temporaryFolder } from './files/temporary-folder.ts';
import { createProcessRunner } from './runner/process/create-process-runner.ts';
import { Transformer } from './runner/transform/run-transform.ts';
import { type ShortageEvent, Shortages } from './shortages.ts';
import type { CannotListen } from './standalone/listen.ts';
import { type StandaloneOptions, type StandaloneServer, serveStandalone } from './standalone/server.ts';

export interface ServerOptions extends Omit<StandaloneOptions, 'runner' | 'fileFolders' | 'makeMcp'> {
  /** Serves AI agents at `/mcp`. */
  readonly mcp: boolean;
  readonly onShortage: (event: ShortageEvent) => void;
}
export type RunningServer = StandaloneServer;

/** Serves endpoints whose commands run as processes of this machine. `stop` ends everything that it started. */
export async function startServer(options: ServerOptions): Promise<RunningServer | CannotListen> {
  // The library takes a while to load, so it is loaded only where it is used.
  const mcp = options.mcp ? await import('./standalone/mcp/standalone-mcp.ts') : undefined;
  const resources = new AsyncDisposableStack();
  const transforms = resources.use(new Transformer());
  const shortages = resources.use(new Shortages({ onEvent: options.onShortage }));
  const onShortage = (shortage: Shortage) => shortages.met(shortage);
  const runner = resources.use(createProcessRunner({ transforms, onShortage }));
  const files = temporaryFolder();
  resources.defer(() => files.remove());
  const fileFolders = new FileFolders(files.path);
  const server = serveStandalone({ ...options, runner, fileFolders, makeMcp: mcp?.standaloneMcp });
  if (server.kind === 'cannot_listen') {
    void resources.disposeAsync();
    return server;
  }
  return {
    ...server,
    async stop(graceMs) {
      await server.stop(graceMs);
      await resources.disposeAsync();
    },
  };
}
