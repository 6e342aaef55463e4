import type { Launch } from '../../runner/runner.ts';
import type { ArtifactUploader } from '../artifacts/uploads.ts';
import type { AgentExecution } from './execution.ts';
import type { Prepared } from './prepare-launch.ts';

interface ExecutionArtifactsOptions {
  /** Absent where commands leave no artifacts: on a host of the hosted runner. */
  readonly uploader: ArtifactUploader | undefined;
  /** Keeps the changed end of an execution for the next process. */
  readonly keepEnd: (execution: AgentExecution) => void;
  /** Called for failures that do not stop the agent. */
  readonly onTrouble: (message: string, cause: unknown) => void;
}

/** The output folders of executions, from their start until the files are at the hub (decision 72, artifacts). */
export class ExecutionArtifacts {
  readonly #uploader: ArtifactUploader | undefined;
  readonly #keepEnd: ExecutionArtifactsOptions['keepEnd'];
  readonly #onTrouble: ExecutionArtifactsOptions['onTrouble'];
  /** Cancel the uploads of ended executions. */
  readonly #uploads = new Map<string, AbortController>();

  constructor({ uploader, keepEnd, onTrouble }: ExecutionArtifactsOptions) {
    this.#uploader = uploader;
    this.#keepEnd = keepEnd;
    this.#onTrouble = onTrouble;
  }

  /** Makes the folder. Returns the variables that tell the command where to leave its artifacts. */
  createFolder({ launch, artifacts: patterns }: Extract<Prepared, { kind: 'launch' }>): Launch['env'] {
    if (patterns === undefined || this.#uploader === undefined) return {};
    return { SVC_OUTPUT_DIR: this.#uploader.createFolder(launch.executionId, patterns, launch.user) };
  }

  /** Holds the end of the execution until the artifacts are at the hub, so that a caller that hears of the end finds them. */
  upload(execution: AgentExecution): void {
    if (this.#uploader === undefined || !this.#uploader.hasFolder(execution.id)) return;
    execution.holdEnd();
    const cancel = new AbortController();
    this.#uploads.set(execution.id, cancel);
    this.#uploader
      .upload(execution.id, cancel.signal)
      .catch((cause: unknown) => {
        // The next process of this agent continues an upload that was stopped.
        if ((cause as Error).name === 'AbortError') throw cause;
        this.#onTrouble('artifacts of an execution are missing, because they could not be sent', cause);
        execution.noteUnsentArtifacts(`it could not be sent: ${(cause as Error).message}`);
        this.#keepEnd(execution);
      })
      .then(
        () => {
          this.#uploads.delete(execution.id);
          this.discard(execution.id);
          execution.releaseEnd();
        },
        () => undefined,
      );
  }

  cancel(id: string): void {
    this.#uploads.get(id)?.abort(new Error('the execution was cancelled'));
  }

  discard(id: string): void {
    this.#uploader
      ?.discard(id)
      .catch((cause: unknown) => this.#onTrouble('a folder cannot be removed', cause));
  }
}
