import { readConfig, TAKEN_SLUGS } from '@svc/agent/config-source';
import { type RunningServer, startServer } from '@svc/agent/serve';
import { type Endpoint, METHODS } from '@svc/core/endpoint/definition';
import { shortageRow } from '../agent/shortage-row.ts';
import { formatProblems, requireConfig } from '../config.ts';
import { Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { portFrom, type ServeOptions } from './options.ts';
import { sampleCall } from './sample-call.ts';

/** `svc serve`: runs until a signal stops it. */
export async function serve(options: ServeOptions): Promise<void> {
  const source = requireConfig(
    readConfig(options.config, options.mcp ? [...TAKEN_SLUGS, 'mcp'] : TAKEN_SLUGS),
    options.config,
  );
  const server = await startServer({
    mcp: options.mcp === true,
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
  { config, json, mcp }: ServeOptions,
  fileWarnings: readonly string[],
): void {
  const warnings = [...fileWarnings, ...server.warnings];
  if (!json) {
    writeRows(
      process.stdout,
      serverReadyRows({ ...server, version: VERSION, config, hasMcp: mcp === true, warnings }),
    );
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

/** The facts of a listening server. */
interface ListeningServer {
  readonly version: string;
  readonly config: string;
  readonly url: string;
  /** The callable endpoints. */
  readonly endpoints: readonly Endpoint[];
  /** AI agents are served at `/mcp`. */
  readonly hasMcp: boolean;
  readonly warnings: readonly string[];
  /** The listening address, if other machines can reach it. */
  readonly openAddress: string | undefined;
}

/** One fact per line: URL, endpoints, warnings, and a call to try. */
function serverReadyRows(ready: ListeningServer): FactRow[] {
  const { version, config, url, endpoints, warnings, openAddress } = ready;
  const curl = sampleCall(endpoints, url);
  return [
    { label: `svc ${version}`, text: `serves ${config} at ${url}` },
    ...endpointRows(endpoints, url),
    ...(ready.hasMcp ? [{ label: 'MCP', text: `${url}/mcp` }] : []),
    ...warnings.map(warning),
    ...(openAddress === undefined ? [] : [warning(openWarning(openAddress))]),
    ...(curl === undefined ? [] : [{ label: 'try', text: curl }]),
    { label: 'stop', text: 'Ctrl-C' },
  ];
}

function endpointRows(endpoints: readonly Endpoint[], url: string): FactRow[] {
  const targets = endpoints.map(({ slug }) => `${url}/${slug}`);
  const width = Math.max(0, ...targets.map((target) => target.length));
  return endpoints.map(({ method, description = '' }, index) => ({
    label: method ?? METHODS.join('|'),
    text: `${targets[index]?.padEnd(width)}  ${firstLine(description)}`.trimEnd(),
  }));
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function warning(text: string): FactRow {
  return { label: 'WARNING', text, tone: 'warning' };
}

function openWarning(address: string): string {
  return `anyone who can reach ${address} can run these commands without a password; --host 127.0.0.1 limits them to this machine`;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Resolves when a signal has stopped the server. Commands may finish for `graceMs` or until a second signal.
 *
 * Commands run in their own sessions, so Ctrl-C reaches only this program, which stops them in order.
 */
async function untilServerStopped(server: RunningServer, graceMs: number): Promise<void> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    const leftMs = signals === 1 ? graceMs : 0;
    reportStopping(server.running(), leftMs);
    server.stop({ graceMs: leftMs }).then(resolve, reject);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  await stopped;
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function reportStopping(running: number, leftMs: number): void {
  if (running === 0) return;
  const commands = plural(running, 'command');
  const text =
    leftMs > 0
      ? `${commands} may finish within ${leftMs / 1000} s; a second signal ends them now`
      : `ending ${commands}`;
  writeRows(process.stderr, [{ label: 'stopping', text }]);
}
