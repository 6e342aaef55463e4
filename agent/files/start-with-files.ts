import type { Argument } from '@svc/core/endpoint/definition';
import type { ApprovedFile, ReceivedFile } from '@svc/core/execution/received-file';
import { Interruption } from '@svc/core/interruption';
import { Refusal, type RefusalCode } from '@svc/core/refusal';
import type { CommandInput, Ending, Launch, OutputSink, Runner, RunningCommand } from '../runner/runner.ts';
import { type FileFolder, type FileFolders, NoRoom } from './file-folders.ts';
import { InputCutOff, receiveFiles } from './receive-files.ts';

/** A command that gets files with its call. */
export interface CommandWithFiles {
  /** The `Content-Type` of the form. */
  readonly contentType: string;
  readonly args: readonly Argument[];
  /** Present: no other files are accepted than these (decision 83, bodies that wait for approval). */
  readonly approved?: readonly ApprovedFile[] | undefined;
  /** The launch as it is before the files are there. */
  readonly launch: Launch;
  /** The launch with the paths of the files in their places. Throws a refusal, as for a required file that did not come. */
  readonly withPaths: (paths: ReadonlyMap<string, string>) => Launch;
}

interface FilePorts {
  readonly runner: Pick<Runner, 'start'>;
  readonly folders: FileFolders;
  readonly input: CommandInput;
  readonly sink: OutputSink;
  /** Called before the command starts. */
  readonly onReceived?: (files: readonly ReceivedFile[]) => void;
  /** Called for failures of this machine. */
  readonly onTrouble: (message: string, cause: unknown) => void;
}

/**
 * Receives the files of a call and then runs its command, so the command never sees half a file (decision 76, files of a call). The
 * time limit of the launch covers both. The files are removed before `ended` resolves.
 */
export function startWithFiles(command: CommandWithFiles, ports: FilePorts): RunningCommand {
  const call = new CallWithFiles(command, ports);
  return { ended: call.run(), cancel: () => call.cancel() };
}

class CallWithFiles {
  readonly #command: CommandWithFiles;
  readonly #ports: FilePorts;
  readonly #beganAt = performance.now();
  readonly #stopped = new Interruption();
  #running: RunningCommand | undefined;

  constructor(command: CommandWithFiles, ports: FilePorts) {
    this.#command = command;
    this.#ports = ports;
  }

  cancel(): void {
    this.#stopped.set(new Stopped('cancelled'));
    this.#running?.cancel();
  }

  async run(): Promise<Ending> {
    const { folders, onTrouble } = this.#ports;
    const { executionId, user, timeoutMs } = this.#command.launch;
    const timer = setTimeout(() => this.#stopped.set(new Stopped('timed_out')), timeoutMs);
    let folder: FileFolder | undefined;
    try {
      folder = folders.create(executionId, user);
      const launch = await this.#receive(folder);
      clearTimeout(timer);
      this.#running = this.#ports.runner.start(launch, this.#ports.sink);
      return await this.#running.ended;
    } catch (cause) {
      if (this.#running !== undefined) throw cause;
      return this.#notReceived(cause);
    } finally {
      clearTimeout(timer);
      await folder?.remove().catch((cause: unknown) => onTrouble('files of a call cannot be removed', cause));
    }
  }

  /** The launch with its files in their places. */
  async #receive(folder: FileFolder): Promise<Launch> {
    const { input, onReceived } = this.#ports;
    try {
      const next = () => this.#stopped.wait(input.next());
      const { files, paths } = await receiveFiles(this.#command, { next }, folder);
      const launch = this.#command.withPaths(paths);
      await this.#stopped.wait(Promise.resolve());
      onReceived?.(files);
      return { ...launch, timeoutMs: Math.max(1, launch.timeoutMs - this.#elapsedMs()) };
    } finally {
      input.close();
    }
  }

  /** The ending of a call whose command did not start. */
  #notReceived(cause: unknown): Ending {
    const durationMs = this.#elapsedMs();
    if (cause instanceof Stopped) return { kind: cause.how, durationMs };
    return { kind: 'cancelled', durationMs, cut: this.#reason(cause) };
  }

  #reason(cause: unknown): { readonly code: RefusalCode; readonly message: string } {
    if (cause instanceof InputCutOff || cause instanceof Refusal)
      return { code: cause.code, message: cause.message };
    this.#ports.onTrouble('the files of a call could not be written', cause);
    const code = (cause as { readonly code?: unknown }).code;
    const isFull = cause instanceof NoRoom || code === 'ENOSPC' || code === 'EDQUOT';
    const why = isFull ? 'has no room for the files of the call' : 'cannot write the files of the call';
    return { code: 'unavailable', message: `the agent ${why}: its log says more` };
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#beganAt);
  }
}

/** Ends the wait for the files. */
class Stopped extends Error {
  readonly how: 'cancelled' | 'timed_out';

  constructor(how: Stopped['how']) {
    super(how);
    this.how = how;
  }
}
