import { createHash } from 'node:crypto';
import { CallBody } from '@svc/core/api/call-body';
import type { CallParts } from '@svc/core/api/call-parts';
import { type BoundCommand, bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment } from '@svc/core/endpoint/environment';
import { filePlaceholders } from '@svc/core/endpoint/file-arguments';
import { streamsOf } from '@svc/core/endpoint/output-streams';
import { type CommandWithChecks, choiceChecks, startChecked } from '../../choices/check-choices.ts';
import type { FileFolders } from '../../files/file-folders.ts';
import { type CommandWithFiles, startWithFiles } from '../../files/start-with-files.ts';
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
  start(output: Launch['output'], sink: OutputSink): CommandWithChecks;
}

/** The parts that all calls share. */
export interface CallContext {
  readonly executions: ServedExecutions;
  /** Where commands find the files of their calls. */
  readonly fileFolders: FileFolders;
  /** An endpoint of the served file. */
  readonly named: (slug: string) => Endpoint | undefined;
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
  served: ServedEndpoint,
  parts: CallParts,
  request: Request,
  context: CallContext,
): Call {
  const { endpoint, folder } = served;
  const { reportBug, keepOpen } = context;
  const executionId = Bun.randomUUIDv7();
  const common = { executionId, inherited: context.inherited };
  const launchWith = launchesOf(served, parts, common);
  const launch = launchWith(parts.input?.form === undefined ? new Map() : filePlaceholders(endpoint.args));
  const checks = choiceChecks(endpoint, parts.values, {
    find: context.named,
    folder,
    launchOf: (source, command, cwd) => ({ ...launchOf(common, source, command, cwd), output: 'raw' }),
  });
  return {
    endpoint,
    executionId,
    request,
    reportBug,
    start(output, sink) {
      const command: Command = {
        launch: { ...launch, output },
        withPaths: (paths) => ({ ...launchWith(paths), output }),
      };
      const body = parts.input && new CallBody(parts.input, createHash('sha256'));
      const begin = () =>
        startCommand(command, { endpoint, contentType: parts.input?.form, body, sink }, context);
      const running =
        checks.length === 0 ? begin() : startChecked(checks, context.executions.unlimited, begin);
      keepOpen(request);
      return running;
    },
  };
}

type LaunchParts = Pick<Launch, 'executionId' | 'inherited'>;

/** Makes the launch of a call from the paths of its files. Binding refuses invalid values. */
function launchesOf(
  { endpoint, cwd, folder }: ServedEndpoint,
  { values, input }: CallParts,
  common: LaunchParts,
): (files: ReadonlyMap<string, string>) => Omit<Launch, 'output'> {
  const placed = placePaths(endpoint, values, { folder, cwd });
  const streams = streamsOf(endpoint);
  return (files) => ({
    ...launchOf(common, endpoint, bind(endpoint, values, {}, new Map([...placed, ...files])), cwd),
    ...(streams === undefined ? {} : { streams }),
    ...(input === undefined || input.form !== undefined ? {} : { stdin: true as const }),
  });
}

/** The launch of a bound command: that of the endpoint, or of a list that its values are checked against. */
function launchOf(
  common: LaunchParts,
  { env: endpointEnv, slug, timeoutSec, transform }: Endpoint,
  { argv, env: bound, masks }: Pick<BoundCommand, 'argv' | 'env' | 'masks'>,
  cwd: string,
): Omit<Launch, 'output'> {
  const { executionId } = common;
  return {
    ...common,
    argv,
    env: commandEnvironment({ endpointEnv, bound, executionId, slug }),
    cwd,
    timeoutMs: timeoutSec * 1000,
    masks,
    ...(transform === undefined ? {} : { transform }),
  };
}

type Command = Pick<CommandWithFiles, 'launch' | 'withPaths'>;

interface StartOf {
  readonly endpoint: Endpoint;
  readonly body: CallBody | undefined;
  /** Of a body with files. */
  readonly contentType: string | undefined;
  readonly sink: OutputSink;
}

/** Starts the command at once, or after its files have arrived. */
function startCommand(
  command: Command,
  { endpoint, body, contentType, sink }: StartOf,
  { executions, fileFolders: folders, reportBug }: CallContext,
): RunningCommand {
  return executions.run(endpoint, (runner) => {
    if (body === undefined || contentType === undefined) return runner.start(command.launch, sink, body);
    const onTrouble = (_what: string, cause: unknown) => void reportBug(cause);
    const files = { ...command, contentType, args: endpoint.args };
    return startWithFiles(files, { runner, folders, input: body, sink, onTrouble });
  });
}

/** Calls `leave` once if the connection of this request closes before its answer is complete, or has already closed. */
export function whenCallerLeaves({ signal }: Request, leave: () => void): void {
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
}
