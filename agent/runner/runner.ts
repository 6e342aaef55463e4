import type { EndingRun } from '@svc/core/execution/frame';
import type { Transform } from '@svc/core/execution/transform/transform';
import type { Shortage } from '@svc/core/shortage';

/**
 * One command, ready to start: exact argument vector, exact environment, nothing left to decide.
 *
 * `output` says what the sink receives: `events` are the finished bytes of an SSE stream (`output` and
 * `transformed_output` events, reference 6), `raw` the bytes that the command wrote, stdout and stderr merged in the order
 * written. `frames` are whole `output` events with their line endings, `frameBytes` at most unless one event is longer.
 */
export interface Launch {
  readonly executionId: string;
  readonly argv: readonly [string, ...string[]];
  /** What the command has besides `env`, which goes over it. One object for many launches: it is handed on once. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Nothing else is added. `SVC_EXECUTION_ID` in it is how processes that left the group are found (decision 18). */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Whose rights it has, without any further groups; absent: those of this process. Only root may say it. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly timeoutMs: number;
  readonly output: 'events' | 'raw' | 'frames';
  /** For `frames`. */
  readonly frameBytes?: number;
  /** The step of a pipeline run that its events name (decision 43). */
  readonly step?: string;
  readonly transform?: Transform;
  /** Values that leave the runner as `***`, in whatever spelling (decision 13). */
  readonly masks: readonly string[];
  /** Of a hosted execution: the container that it gets. `cwd` and `inherited` are then those of the image. */
  readonly container?: ContainerTerms;
}

/** What a hosted execution may have (reference 8); all else about its container is the same for everybody. */
export interface ContainerTerms {
  readonly vcpus: number;
  readonly memoryBytes: number;
  readonly network: boolean;
  /** The pipeline run whose steps share `/workspace`; undefined: nobody else sees it. */
  readonly runId: string | undefined;
}

/**
 * What became of the transform of an execution that has one (decision 27).
 *
 * `data`: the sink got one `transformed_output` event where it receives `events`, else nothing. `failed`: the sink got nothing.
 * `skipped`: the sink got the output unchanged, after a non-zero exit, or because the transform failed for `reason` under
 * `on_error: raw`. A command that was timed out or cancelled has no `Transformed`; the sink got what it had written.
 */
export type Transformed =
  | { readonly kind: 'data'; readonly json: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason?: string };

/**
 * How an execution ended; `exitCode` is 128 + n for a command that signal n ended. `durationMs` runs from spawn to exit.
 * `lost`: the part of the runner that watched the command died; what was left of the command has been killed.
 * `shortage`: what this machine had run out of, where that is why.
 */
export type Ending =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly durationMs: number;
      readonly transformed?: Transformed;
    }
  | { readonly kind: 'timed_out'; readonly durationMs: number }
  | { readonly kind: 'cancelled'; readonly durationMs: number }
  | { readonly kind: 'lost'; readonly message: string; readonly shortage?: Shortage }
  | {
      readonly kind: 'not_started';
      readonly reason: NotStartedReason;
      readonly message: string;
      readonly shortage?: Shortage;
    };

export type NotStartedReason = 'not_found' | 'not_executable' | 'too_long' | 'bad_cwd' | 'other';

/** Where output goes. A returned promise is back-pressure: the command's pipe is not read further until it settles. */
export interface OutputSink {
  /**
   * @param chunk its bytes are gone once it has been taken: what is to be kept of it is copied
   * @param endings of `frames`: the lines that did not end in a plain newline (decision 16)
   */
  write(chunk: Uint8Array, endings?: readonly EndingRun[]): void | Promise<void>;
}

export interface RunningCommand {
  /** Settles once, after the last byte went into the sink; never rejects for anything the command does, only with what the sink threw. */
  readonly ended: Promise<Ending>;
  /** SIGTERM, grace, SIGKILL (decision 18). Does nothing after the end. */
  cancel(): void;
}

/** The port behind which commands run: as processes on this machine or in containers. */
export interface Runner extends AsyncDisposable {
  start(launch: Launch, sink: OutputSink): RunningCommand;
}

/** One whose commands run in containers: what hubs are told of it, and the volumes that it keeps for pipeline runs. */
export interface HostedRunner extends Runner {
  /** What makes the containers, for people. */
  readonly engine: string;
  /** How many commands it runs at a time. */
  readonly capacity: number;
  /** The pipeline runs whose volume is here, also those of an earlier process. */
  volumes(): readonly string[];
  /** A pipeline run is over: its volume is removed, as soon as nothing uses it any more. Unknown runs have none. */
  endRun(runId: string): Promise<void>;
  /** Removes what an earlier process left of an execution, when it has it still. */
  sweep(executionId: string): Promise<void>;
}
