import { bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment } from '@svc/core/endpoint/environment';
import { streamsOf } from '@svc/core/endpoint/output-streams';
import { placePaths } from '../../path/place-paths.ts';
import type { Launch, OutputSink, RunningCommand } from '../../runner/runner.ts';
import type { ServedExecutions } from '../executions.ts';
import type { ServedEndpoint } from '../served-endpoint.ts';

/** An accepted call: the command is fixed and has not started. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly executionId: string;
  readonly request: Request;
  readonly reportBug: CallContext['reportBug'];
  /** Starts the command, once. Refuses with `concurrency_limited` or `unavailable`. */
  start(output: Launch['output'], sink: OutputSink): RunningCommand;
}

/** The parts that all calls share. */
export interface CallContext {
  readonly executions: ServedExecutions;
  /**
   * The part of the server's environment that commands inherit, without `SVC_*` (decision 12, the environment of a
   * command).
   */
  readonly inherited: Readonly<Record<string, string>>;
  /** Turns off the idle timeout of a connection whose command may be silent. */
  readonly keepOpen: (request: Request) => void;
  /** Logs a bug and returns its id in the log. */
  readonly reportBug: (error: unknown) => string;
}

/**
 * Puts the values into the command; refuses invalid ones (decision 8, leading dash and sizes of values, and decision 9,
 * values of a call).
 */
export function prepareCall(
  { endpoint, cwd, folder }: ServedEndpoint,
  values: ReadonlyMap<string, string>,
  request: Request,
  { executions, inherited, keepOpen, reportBug }: CallContext,
): Call {
  const {
    argv,
    env: bound,
    masks,
  } = bind(endpoint, values, {}, placePaths(endpoint, values, { folder, cwd }));
  const { slug, env: endpointEnv, timeoutSec, transform } = endpoint;
  const streams = streamsOf(endpoint);
  const executionId = Bun.randomUUIDv7();
  const launch = {
    executionId,
    argv,
    inherited,
    env: commandEnvironment({ endpointEnv, bound, executionId, slug }),
    cwd,
    timeoutMs: timeoutSec * 1000,
    masks,
    ...(transform === undefined ? {} : { transform }),
    ...(streams === undefined ? {} : { streams }),
  };
  return {
    endpoint,
    executionId,
    request,
    reportBug,
    start(output, sink) {
      const running = executions.start(endpoint, { ...launch, output }, sink);
      keepOpen(request);
      return running;
    },
  };
}

/** Calls `leave` once if the connection of this request closes before its answer is complete, or has already closed. */
export function whenCallerLeaves({ signal }: Request, leave: () => void): void {
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
}
