import { bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment } from '@svc/core/endpoint/environment';
import { placePaths } from '../../path/place-paths.ts';
import type { Launch, OutputSink, RunningCommand } from '../../runner/runner.ts';
import type { ServedExecutions } from '../executions.ts';
import type { ServedEndpoint } from '../served-endpoint.ts';

/** A call that was accepted: what runs is settled, and nothing has started. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly request: Request;
  readonly reportBug: CallContext['reportBug'];
  /** Refuses with `concurrency_limited` or `unavailable`; for one start. */
  start(output: Launch['output'], sink: OutputSink): RunningCommand;
}

/** What all calls share. */
export interface CallContext {
  readonly executions: ServedExecutions;
  /** What commands have of the server's own environment; `SVC_*` is never in it (decision 12). */
  readonly inherited: Readonly<Record<string, string>>;
  /** A connection on which a command runs may be silent for as long as the command is. */
  readonly keepOpen: (request: Request) => void;
  /** Answers with the id under which the log has it. */
  readonly reportBug: (error: unknown) => string;
}

/** Puts the values into the command; refuses what does not fit (decisions 8 and 9). */
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
  };
  return {
    endpoint,
    request,
    reportBug,
    start(output, sink) {
      const running = executions.start(endpoint, { ...launch, output }, sink);
      keepOpen(request);
      return running;
    },
  };
}
