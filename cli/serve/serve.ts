import { readConfig } from '@svc/agent/config-source';
import { type RunningServer, startServer } from '@svc/agent/serve';
import { shortageRow } from '../agent/shortage-row.ts';
import { formatProblems, requireConfig } from '../config.ts';
import { Failure } from '../failure.ts';
import { writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { portFrom, type ServeOptions } from './options.ts';
import { serverReadyRows } from './ready.ts';
import { untilServerStopped } from './until-stopped.ts';

/** `svc serve`: runs until a signal stops it. */
export async function serve(options: ServeOptions): Promise<void> {
  const source = requireConfig(readConfig(options.config), options.config);
  const server = startServer({
    endpoints: source.config.endpoints,
    pipelines: source.config.pipelines,
    folder: source.folder,
    host: options.host,
    port: options.port ?? portFrom(process.env),
    allowHosts: options.allowHost ?? [],
    allowBrowser: options.allowBrowser === true,
    version: VERSION,
    environment: process.env,
    clock: () => performance.now(),
    onBug,
    onShortage: (event) => writeRows(process.stderr, [shortageRow(event)]),
  });
  if (server.kind === 'cannot_listen') {
    throw new Failure(
      server.message,
      server.isPortInUse ? { tip: 'svc serve --port 0 picks a free port' } : {},
    );
  }
  announce(server, options, formatProblems(options.config, source.warnings));
  await untilServerStopped(server, options.grace);
}

function announce(
  server: RunningServer,
  { config, json }: ServeOptions,
  fileWarnings: readonly string[],
): void {
  const warnings = [...fileWarnings, ...server.warnings];
  if (!json) {
    writeRows(process.stdout, serverReadyRows({ ...server, version: VERSION, config, warnings }));
    return;
  }
  const endpoints = server.endpoints.map(({ slug, method, description }) => ({
    name: slug,
    method: method ?? null,
    description: description ?? null,
    url: `${server.url}/${slug}`,
  }));
  process.stdout.write(`${JSON.stringify({ url: server.url, endpoints, warnings })}\n`);
}

/** Logs the details that the caller does not see (decision 25, errors). */
function onBug(id: string, error: unknown): void {
  process.stderr.write(
    `internal error ${id}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
}
