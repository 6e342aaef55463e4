import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import type { EndingRun } from '@svc/core/execution/frame';
import { LineTimes } from '@svc/core/execution/line-times';
import type { ReceivedFile } from '@svc/core/execution/received-file';
import { countEvents } from '@svc/core/execution/split-frame';
import type { AgentFrameOf, WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { encodeOutputFrame, type OutputFrame } from '@svc/core/protocol/output-frame';
import type { OutputSink, RunningCommand } from '../../runner/runner.ts';
import type { UnsentOutput } from '../unsent/unsent-output.ts';
import type { Uplink } from './uplink.ts';

/** The ending of an execution with damaged output. Its recorded ending would not match the output. */
const OUTPUT_CUT = {
  kind: 'lost',
  message: 'the agent could not keep its output: it is damaged on the disk',
} as const;

/** One execution from its start until the hub has acknowledged its end. */
export class AgentExecution implements OutputSink {
  readonly id: string;
  readonly output: UnsentOutput;
  /** Undefined if an earlier process ran the command. */
  command: Pick<RunningCommand, 'cancel'> | undefined;
  readonly #uplink: Uplink;
  #end: AgentFrameOf<'ended'> | undefined;
  #files: readonly ReceivedFile[] = [];
  #times: LineTimes | undefined = new LineTimes(() => performance.now());
  #isEndSent = false;
  #isEndHeld = false;
  #isAbandoned = false;
  /** The number that the hub had stored when there was nothing to send after it. */
  #resumedAt: { readonly storedSeq: number; readonly lastSeq: number } | undefined;

  constructor(id: string, output: UnsentOutput, uplink: Uplink) {
    this.id = id;
    this.output = output;
    this.#uplink = uplink;
  }

  get end(): AgentFrameOf<'ended'> | undefined {
    return this.#end;
  }

  /** The command waits while the hub is connected and has not acknowledged enough output. */
  write(bytes: Uint8Array, endings: readonly EndingRun[] = []): Promise<void> | undefined {
    if (this.#isAbandoned || this.output.isCut) return undefined;
    this.#times?.add(countEvents(bytes));
    this.#append('output', bytes, endings.length === 0 ? undefined : JSON.stringify(endings));
    this.flow();
    return this.#isBlocked() ? this.#uplink.waitWhile(() => this.#isBlocked()) : undefined;
  }

  /** The JSON result of a transform. */
  writeResult(json: string): void {
    const bytes = new TextEncoder().encode(json);
    const { outputTargetBytes } = LINK_LIMITS;
    for (let at = 0; at < bytes.length; at += outputTargetBytes) {
      this.#append('result', bytes.subarray(at, at + outputTargetBytes), undefined);
    }
  }

  /** Called when the files of the call have arrived, before the command starts. */
  received(files: readonly ReceivedFile[]): void {
    this.#files = files;
  }

  /** Output that waits for a transform arrives when the command ends, so its arrival times say nothing about the lines. */
  dropLineTimes(): void {
    this.#times = undefined;
  }

  /** Nothing is written after the ending. */
  endWith(ending: WireEnding): AgentFrameOf<'ended'> {
    const files = this.#files.length === 0 ? {} : { files: [...this.#files] };
    const marks = this.#times?.marks ?? [];
    const times =
      marks.length === 0 ? {} : { line_times: marks.map(([event, ms]): [number, number] => [event, ms]) };
    const lastSeq = this.output.lastSeq;
    this.#end = { type: 'ended', execution_id: this.id, last_seq: lastSeq, ending, ...files, ...times };
    return this.#end;
  }

  /** Restores the ending that an earlier process wrote to the journal. */
  restoreEnd(frame: AgentFrameOf<'ended'>): void {
    this.#end = { ...frame, last_seq: this.output.lastSeq };
  }

  /** Says with the ending that the hub did not get the list of what the command left. */
  noteUnsentArtifacts(reason: string): void {
    if (this.#end === undefined) return;
    this.#end = { ...this.#end, artifacts_unsent: reason.slice(0, ARTIFACT_LIMITS.reasonChars) };
  }

  /** The hub gets the ending only after `releaseEnd`: what belongs to the execution is sent on another way first. */
  holdEnd(): void {
    this.#isEndHeld = true;
  }

  releaseEnd(): void {
    this.#isEndHeld = false;
    this.flow();
  }

  /** Sends what may be sent now: output in order, then the ending. */
  flow(): void {
    const { wire, blocked, journalSeq } = this.#uplink;
    if (wire === undefined) return;
    for (let message = this.output.next(); message !== undefined; message = this.output.next()) {
      if (!wire.sendOutput(message)) {
        blocked.add(this);
        return;
      }
      this.output.sent();
    }
    if (this.#end === undefined || this.#isEndSent || this.#isEndHeld || !this.output.isSent) return;
    const ending = this.output.isCut ? OUTPUT_CUT : this.#end.ending;
    wire.send({ ...this.#end, ending, last_seq: this.#lastSeqOfHub(), journal_seq: journalSeq });
    this.#isEndSent = true;
  }

  /** The hub needs everything after `storedSeq` and the ending again. Undefined: the hub did not report what it has stored. */
  resume(storedSeq: number | undefined): void {
    this.output.rewind(storedSeq ?? 0);
    const isComplete = storedSeq !== undefined && this.output.isSent;
    this.#resumedAt = isComplete ? { storedSeq, lastSeq: this.output.lastSeq } : undefined;
    this.repeatEnd();
  }

  repeatEnd(): void {
    this.#isEndSent = false;
    this.flow();
  }

  /** The hub dropped the execution: cancels its command and discards further output. */
  abandon(): void {
    this.#isAbandoned = true;
    this.output.drop();
    this.command?.cancel();
  }

  acknowledge(seq: number): void {
    this.output.acknowledge(seq);
    this.flow();
  }

  /** A killed process does not know what it had sent, but the hub knows what it has stored. */
  #lastSeqOfHub(): number {
    const { lastSeq } = this.output;
    return this.#resumedAt?.lastSeq === lastSeq ? this.#resumedAt.storedSeq : lastSeq;
  }

  #append(kind: OutputFrame['kind'], bytes: Uint8Array, endings: string | undefined): void {
    const seq = this.output.lastSeq + 1;
    const frame = { kind, executionId: this.id, seq, endings, bytes };
    this.output.append(encodeOutputFrame(frame, (length) => this.output.room(length)));
  }

  #isBlocked(): boolean {
    const { wire, space } = this.#uplink;
    if (this.#isAbandoned) return false;
    return space.isFull || (wire !== undefined && this.output.isWindowUsed);
  }
}
