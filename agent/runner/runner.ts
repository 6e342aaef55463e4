import type { EndingRun } from '@svc/core/execution/frame';
import type { Transform } from '@svc/core/execution/transform/transform';
import type { RefusalCode } from '@svc/core/refusal';
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
  /** The environment besides `env`, which overrides it. One object serves many launches and is sent once. */
  readonly inherited: Readonly<Record<string, string>>;
  /**
   * The complete rest of the environment. `SVC_EXECUTION_ID` in it identifies processes that left the group (decision 18,
   * time-out and cancel).
   */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The user that it runs as, without further groups; absent: that of this process. Only root may set it. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly timeoutMs: number;
  readonly output: 'events' | 'raw' | 'frames';
  /** The limit for `frames`. */
  readonly frameBytes?: number;
  /**
   * How `events` and `frames` separate stdout from stderr (decision 68, raw output). Absent: one stream, in the order
   * written. `apart`: the lines of stderr name their stream. `raw`: the same, and stdout is events of base64.
   */
  readonly streams?: 'apart' | 'raw';
  /** The step of a pipeline run that its events name (decision 43, calling a pipeline). */
  readonly step?: string;
  readonly transform?: Transform;
  /** Values that the output shows as `***`, in every encoding (decision 13, managed secrets). */
  readonly masks: readonly string[];
  /** The command reads the input that `start` gets; absent: its stdin is empty. */
  readonly stdin?: true;
  /** Only for a hosted execution: its container. `cwd` and `inherited` are then those of the image. */
  readonly container?: ContainerTerms;
}

/** The limits of a hosted execution (reference 8); everything else about its container is fixed. */
export interface ContainerTerms {
  readonly vcpus: number;
  readonly memoryBytes: number;
  readonly network: boolean;
  /** The pipeline run whose steps share `/workspace`; undefined: a private workspace. */
  readonly runId: string | undefined;
  /** Whether the files in `/output` stay on this machine until their volume is ended. */
  readonly keepsOutput?: boolean;
}

/**
 * The transform result of an execution (decision 27, the transformer).
 *
 * `data`: the sink got one `transformed_output` event where it receives `events`, else nothing. `failed`: the sink got
 * nothing. `skipped`: the sink got the output unchanged, after a non-zero exit, or because the transform failed for
 * `reason` under `on_error: raw`. A command that was timed out or cancelled has no `Transformed`; the sink got what it had
 * written.
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
  /** `cut`: why the input was cut off. The runner itself cancelled the command for this reason. */
  | { readonly kind: 'cancelled'; readonly durationMs: number; readonly cut?: InputCut }
  | { readonly kind: 'lost'; readonly message: string; readonly shortage?: Shortage }
  | {
      readonly kind: 'not_started';
      readonly reason: NotStartedReason;
      readonly message: string;
      readonly shortage?: Shortage;
    };

export type NotStartedReason = 'not_found' | 'not_executable' | 'too_long' | 'bad_cwd' | 'other';

/** A receiver of output. A returned promise is back-pressure: the command's pipe is not read until it settles. */
export interface OutputSink {
  /**
   * @param chunk its bytes are gone once it has been taken: what is to be kept of it is copied
   * @param endings of `frames`: the lines that did not end in a plain newline (decision 16, the buffered answer)
   */
  write(chunk: Uint8Array, endings?: readonly EndingRun[]): void | Promise<void>;
}

/** Why the rest of an input does not come; `code` is the refusal that a caller may see. */
export interface InputCut {
  readonly code: RefusalCode;
  readonly message: string;
}

/** A piece of the input of a command. After `end` and `cut` there are no more. */
export type InputPiece =
  | {
      readonly kind: 'bytes';
      readonly bytes: Uint8Array;
      /** Nothing else uses the buffer of these bytes, even if they are only part of the buffer. */
      readonly isSoleUser?: true;
    }
  | { readonly kind: 'end' }
  | ({ readonly kind: 'cut' } & InputCut);

/**
 * The input of a command, which is asked for each piece when the command has taken the one before: that is back-pressure.
 *
 * The command reads the end of its stdin only after `end`. After `cut` it is ended, so it never acts upon half an input.
 */
export interface CommandInput {
  /** Never rejects. */
  next(): Promise<InputPiece>;
  /** Resolves when the input is cut off, also while no piece is asked for. May stay pending after `next` gave a `cut`. Never rejects. */
  readonly cutOff: Promise<InputCut>;
  /** The command is over, or closed its stdin: nothing more is asked for. Called once. */
  close(): void;
}

export interface RunningCommand {
  /** Settles after the sink has taken the last byte. Rejects only with an error of the sink. */
  readonly ended: Promise<Ending>;
  /** SIGTERM, grace, SIGKILL (decision 18, time-out and cancel). Has no effect after the end. */
  cancel(): void;
}

/** The port behind which commands run: as processes on this machine or in containers. */
export interface Runner extends AsyncDisposable {
  /** @param input of a launch with `stdin`, and of no other */
  start(launch: Launch, sink: OutputSink, input?: CommandInput): RunningCommand;
}

/** Volumes by the id of their execution. They outlive the process that made them. */
export interface ExecutionVolumes {
  ids(): readonly string[];
  /** Mounts the volume of an execution. The folder is on this machine. */
  use(executionId: string): Promise<{ readonly folder: string; release(): void }>;
  /** Removes the volume after its last user has released it. */
  end(executionId: string): Promise<void>;
}

/** A runner with containers, with the facts that it reports to hubs and the volumes of pipeline runs. */
export interface HostedRunner extends Runner {
  /** The name of the container engine, for people. */
  readonly engine: string;
  /** The number of commands at a time. */
  readonly capacity: number;
  /** The pipeline runs with a volume here, also those of an earlier process. */
  volumes(): readonly string[];
  /** The volumes for `/output`. */
  readonly outputs: ExecutionVolumes;
  /** Removes the volume of a pipeline run that is over, as soon as nothing uses it. Unknown runs have none. */
  endRun(runId: string): Promise<void>;
  /** Removes what an earlier process left of an execution, if anything. */
  sweep(executionId: string): Promise<void>;
}
