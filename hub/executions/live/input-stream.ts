import { createHash } from 'node:crypto';
import { type BodyPiece, CallBody, type CallInput } from '@svc/core/api/call-body';
import { releaseMemory } from '@svc/core/execution/release-memory';
import type { HubFrameOf } from '@svc/core/protocol/frame';
import { encodeInputFrame } from '@svc/core/protocol/input-frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { AgentAddress, InputMessage } from '../../agents/directory-ports.ts';

type Send = (to: AgentAddress, message: InputMessage) => void;

/** The bytes of the body from `begin` up to `end`, as a frame. */
interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly message: Uint8Array<ArrayBuffer>;
}

/**
 * Sends the body of a call to the agent that runs it, as far as the agent asks for it (decision 73, the body as standard input).
 * So a slow command slows the caller down, and the hub holds no more than the agent has asked for and not confirmed.
 *
 * What is not confirmed is sent again on the agent's next connection. A body that ends before its end is never completed: the
 * agent hears that it was cut off, and ends the command.
 */
export class InputStream {
  /** The `Content-Type` of a form with files; undefined: the command reads the body from stdin. */
  readonly form: string | undefined;
  readonly #executionId: string;
  readonly #send: Send;
  readonly #body: CallBody;
  readonly #settled = Promise.withResolvers<void>();
  /** Read from the caller and not confirmed by the agent, in order. */
  #unconfirmed: Piece[] = [];
  /** The agent was sent everything before this position on its present connection. */
  #sentBytes = 0;
  #upto = 0;
  /** The agent has everything before this position. */
  #confirmed = 0;
  /** The address object of the agent's present connection. */
  #to: AgentAddress | undefined;
  #last: HubFrameOf<'input_end'> | HubFrameOf<'input_cut'> | undefined;
  #isReading = false;
  #isOver = false;

  constructor(executionId: string, input: CallInput, send: Send) {
    this.#executionId = executionId;
    this.#send = send;
    this.form = input.form;
    this.#body = new CallBody(input, createHash('sha256'));
    void this.#body.cutOff.then((cut) => this.#cutOff(cut));
  }

  /** Resolves when nothing more of the body is read: it is complete or cut off, or the execution is over. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /**
   * The agent has everything before `from`, and takes what comes before `upto`.
   *
   * @param to one object for each connection
   */
  want(to: AgentAddress, from: number, upto: number): void {
    if (this.#isOver) return;
    this.#confirmed = from;
    const isWithAgent = ({ end }: Piece) => end <= from;
    for (const { message } of this.#unconfirmed.filter(isWithAgent)) releaseMemory(message);
    this.#unconfirmed = this.#unconfirmed.filter((piece) => !isWithAgent(piece));
    if (this.#to !== to) this.#sentBytes = from;
    this.#to = to;
    this.#upto = upto;
    this.#sendWanted();
    void this.#read();
  }

  /** The execution is over, or another hub has it: the rest of the body is not read. */
  close(): void {
    this.#isOver = true;
    this.#unconfirmed = [];
    this.#stopReading();
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#last === undefined && !this.#isOver && this.#body.length < this.#upto)
      await this.#readOnce();
    this.#isReading = false;
  }

  async #readOnce(): Promise<void> {
    const offset = this.#body.length;
    const piece = await this.#body.next();
    if (this.#isOver || this.#last !== undefined) return;
    switch (piece.kind) {
      case 'bytes':
        this.#keep(offset, piece.bytes);
        // The parts are copied, because other views may share the buffer.
        if (piece.bytes.length === piece.bytes.buffer.byteLength) releaseMemory(piece.bytes);
        this.#sendWanted();
        break;
      case 'end':
        return this.#finish({
          type: 'input_end',
          execution_id: this.#executionId,
          bytes: this.#body.length,
        });
      case 'cut':
        return this.#cutOff(piece);
    }
  }

  /** Also while the agent asks for nothing, because its command does not read. */
  #cutOff({ code, message }: Extract<BodyPiece, { kind: 'cut' }>): void {
    if (this.#isOver || this.#last !== undefined) return;
    this.#unconfirmed = [];
    this.#finish({ type: 'input_cut', execution_id: this.#executionId, code, message });
  }

  #keep(start: number, bytes: Uint8Array): void {
    const { inputTargetBytes } = LINK_LIMITS;
    const executionId = this.#executionId;
    for (let at = 0; at < bytes.length; at += inputTargetBytes) {
      const part = bytes.subarray(at, at + inputTargetBytes);
      // A body that is read again from its start, for an agent that has a part of it.
      if (start + at + part.length <= this.#confirmed) continue;
      const message = encodeInputFrame({ executionId, offset: start + at, bytes: part });
      this.#unconfirmed.push({ begin: start + at, end: start + at + part.length, message });
    }
  }

  #finish(last: HubFrameOf<'input_end'> | HubFrameOf<'input_cut'>): void {
    this.#last = last;
    this.#stopReading();
    this.#sendWanted();
  }

  #stopReading(): void {
    this.#settled.resolve();
    this.#body.close();
  }

  #sendWanted(): void {
    const to = this.#to;
    if (to === undefined) return;
    for (const { begin, end, message } of this.#unconfirmed) {
      if (end <= this.#sentBytes) continue;
      if (begin >= this.#upto) return;
      this.#send(to, message);
      this.#sentBytes = end;
    }
    if (this.#last !== undefined) this.#send(to, this.#last);
  }
}
