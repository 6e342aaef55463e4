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
import { startWithFiles } from '../../files/start-with-files.ts';
import { placePaths } from '../../path/place-paths.ts';
import type { Launch, OutputSink } from '../../runner/runner.ts';
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
  { endpoint, cwd, folder }: ServedEndpoint,
  { values, input }: CallParts,
  request: Request,
  { executions, fileFolders, inherited, keepOpen, named, reportBug }: CallContext,
): Call {
  const placed = placePaths(endpoint, values, { folder, cwd });
  const bindWith = (files: ReadonlyMap<string, string>) =>
    bind(endpoint, values, {}, new Map([...placed, ...files]));
  const hasFiles = input?.form !== undefined;
  const streams = streamsOf(endpoint);
  const executionId = Bun.randomUUIDv7();
  const launchOf = (
    one: Endpoint,
    command: Pick<BoundCommand, 'argv' | 'env' | 'masks'>,
    folderOfIt: string,
  ) => ({
    executionId,
    argv: command.argv,
    inherited,
    env: commandEnvironment({ endpointEnv: one.env, bound: command.env, executionId, slug: one.slug }),
    cwd: folderOfIt,
    timeoutMs: one.timeoutSec * 1000,
    masks: command.masks,
    ...(one.transform === undefined ? {} : { transform: one.transform }),
  });
  const launchWith = (files: ReadonlyMap<string, string>) => ({
    ...launchOf(endpoint, bindWith(files), cwd),
    ...(streams === undefined ? {} : { streams }),
    ...(input === undefined || hasFiles ? {} : { stdin: true as const }),
  });
  const launch = launchWith(hasFiles ? filePlaceholders(endpoint.args) : new Map());
  const checks = choiceChecks(endpoint, values, {
    find: named,
    folder,
    launchOf: (source, command, listCwd) => ({ ...launchOf(source, command, listCwd), output: 'raw' }),
  });
  return {
    endpoint,
    executionId,
    request,
    reportBug,
    start(output, sink) {
      const body = input && new CallBody(input, createHash('sha256'));
      const files = body !== undefined &&
        input?.form !== undefined && {
          contentType: input.form,
          args: endpoint.args,
          launch: { ...launch, output },
          withPaths: (paths: ReadonlyMap<string, string>) => ({ ...launchWith(paths), output }),
        };
      const begin = () =>
        executions.run(endpoint, (runner) =>
          files && body
            ? startWithFiles(files, {
                runner,
                folders: fileFolders,
                input: body,
                sink,
                onTrouble: (_what, cause) => reportBug(cause),
              })
            : runner.start({ ...launch, output }, sink, body),
        );
      const running = checks.length === 0 ? begin() : startChecked(checks, executions.unlimited, begin);
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
