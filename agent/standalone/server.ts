import { hostname } from 'node:os';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { inheritedEnvironment } from '@svc/core/endpoint/environment';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal } from '@svc/core/refusal';
import type { FileFolders } from '../files/file-folders.ts';
import type { Runner } from '../runner/runner.ts';
import { bugResponse, refusalResponse } from './answer/json-response.ts';
import type { BrowserRules } from './browser-guard.ts';
import type { CallContext } from './call/call.ts';
import { ServedExecutions } from './executions.ts';
import { authority, type CannotListen, isLoopback, localServerUrl, openServer } from './listen.ts';
import { createRoutes, type RoutesContext, type ServeHandler } from './routes.ts';
import { notServed, servedEndpoint, shortcomings } from './served-endpoint.ts';

export interface StandaloneOptions {
  readonly endpoints: readonly Endpoint[];
  /** The pipelines of the file, which this server does not run. */
  readonly pipelines?: readonly { readonly slug: string }[];
  /** The folder of the config file, in which commands run (decision 12, the environment of a command). */
  readonly folder: string;
  readonly runner: Runner;
  /** Where commands find the files of their calls. */
  readonly fileFolders: FileFolders;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * Names of this server besides those of the machine (decision 51, the standalone server, and decision 64, borders of
   * people and browsers).
   */
  readonly allowHosts: readonly string[];
  readonly allowBrowser: boolean;
  readonly version: string;
  /** The environment of the server. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
  /** Makes the handler of `/mcp`; absent: agents are not served. */
  readonly makeMcp?: RoutesContext['makeMcp'];
  /** Called for each bug. Callers get only the id (decision 25, errors). */
  readonly onBug: (id: string, error: unknown) => void;
}

export interface StandaloneServer {
  readonly kind: 'listening';
  /** The URL for programs of this machine, without a slash at the end. */
  readonly url: string;
  /** The listening address, if other machines can reach it. */
  readonly openAddress: string | undefined;
  /** The endpoints that can be called, without those that need a hub. */
  readonly endpoints: readonly Endpoint[];
  /** The settings that this server ignores, in sentences. */
  readonly warnings: readonly string[];
  /** The number of running commands. */
  running(): number;
  /**
   * Accepts no more calls, lets running ones finish for `graceMs`, then cancels them. Resolves when all are answered and
   * closed.
   */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

/** The HTTP server of `svc serve` (reference 4.6). The caller disposes of the runner after `stop`. */
export function serveStandalone(options: StandaloneOptions): StandaloneServer | CannotListen {
  const executions = new ServedExecutions(options.runner);
  const served = options.endpoints.map((endpoint) => servedEndpoint(endpoint, options.folder));
  const reportBug = bugReporter(options.onBug);
  const handle = createRoutes({
    served,
    executions,
    fileFolders: options.fileFolders,
    named: (slug) => options.endpoints.find((endpoint) => endpoint.slug === slug),
    reportBug,
    inherited: inheritedEnvironment(options.environment),
    keepOpen: (request) => server.timeout(request, 0),
    browserRules: browserRules(options),
    version: options.version,
    clock: options.clock,
    makeMcp: options.makeMcp,
  });
  const listening = openServer(options, (request) => answered(handle, request, reportBug));
  if (listening.kind === 'cannot_listen') return listening;
  const { server } = listening;
  const address = { host: options.host, port: server.port ?? options.port };
  return {
    kind: 'listening',
    url: localServerUrl(address),
    openAddress: isLoopback(address.host) ? undefined : authority(address),
    endpoints: served.filter(({ unsupported }) => unsupported === undefined).map(({ endpoint }) => endpoint),
    warnings: [...served.flatMap(shortcomings), ...(options.pipelines ?? []).map(notServed)],
    running: () => executions.count,
    stop: ({ graceMs }) => stop(server, executions, graceMs),
  };
}

async function answered(
  handle: ServeHandler,
  request: Request,
  reportBug: CallContext['reportBug'],
): Promise<Response> {
  try {
    return await handle(request);
  } catch (error) {
    return error instanceof Refusal ? refusalResponse(error) : bugResponse(reportBug(error));
  }
}

function bugReporter(onBug: StandaloneOptions['onBug']): CallContext['reportBug'] {
  return (error) => {
    const id = Bun.randomUUIDv7();
    onBug(id, error);
    return id;
  };
}

function browserRules({ allowBrowser, allowHosts }: StandaloneOptions): BrowserRules {
  const hostNames = new Set([hostname(), ...allowHosts].map((name) => name.toLowerCase()));
  return { allowBrowser, hostNames };
}

/** The longest time that the runner needs to end a cancelled command (decision 18, time-out and cancel). */
const CANCEL_MS = LIMITS.killGraceMs + LIMITS.drainAfterExitMs + 1000;
/** The time for the last bytes of the last answers. */
const LAST_BYTES_MS = 1000;

/**
 * Accepts no more calls, lets running ones finish for `graceMs`, cancels the rest. Resolves when every connection is
 * closed.
 *
 * May be called again with a shorter grace.
 */
async function stop(
  server: Bun.Server<undefined>,
  executions: ServedExecutions,
  graceMs: number,
): Promise<void> {
  executions.close();
  const allAnswered = server.stop();
  if (!(await settlesWithin(executions.idle(), graceMs))) {
    executions.cancelAll();
    await settlesWithin(executions.idle(), CANCEL_MS);
  }
  await settlesWithin(allAnswered, LAST_BYTES_MS);
  await server.stop(true);
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: settled, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const settle = () => {
    clearTimeout(timer);
    resolve(true);
  };
  promise.then(settle, settle);
  return settled;
}
