import type { HubFrameOf } from '@svc/core/protocol/frame';
import type { InputFrame } from '@svc/core/protocol/input-frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { REFUSAL_CODES, type RefusalCode } from '@svc/core/refusal';
import type { CommandInput, InputCut, InputPiece } from '../../runner/runner.ts';
import type { Uplink } from './uplink.ts';

type Last = Exclude<InputPiece, { kind: 'bytes' }>;

/**
 * The bodies that hubs send to the commands of this agent (decision 73, the body as standard input). The agent asks for a part of a
 * body, so a slow command slows its caller down, and the bodies together take a bounded space.
 */
export class ReceivedInputs {
  readonly #uplink: Uplink;
  readonly #byId = new Map<string, ReceivedInput>();

  constructor(uplink: Uplink) {
    this.#uplink = uplink;
  }

  open(executionId: string): CommandInput {
    const input = new ReceivedInput({
      want: (from, upto) =>
        this.#uplink.wire?.send({ type: 'input_want', execution_id: executionId, from, upto }),
      window: () => this.#window(),
      closed: () => this.#byId.delete(executionId),
    });
    this.#byId.set(executionId, input);
    return input;
  }

  /** On a new connection. A hub that does not know these frames has no body either. */
  connected({ stdin }: HubFrameOf<'welcome'>): void {
    for (const input of this.#byId.values())
      if (stdin === true) input.askAgain();
      else
        input.cut('unavailable', 'the input was cut off: the agent has moved to a hub that does not have it');
  }

  receive({ executionId, offset, bytes }: InputFrame): void {
    this.#byId.get(executionId)?.receive(offset, bytes);
  }

  end({ execution_id, bytes }: HubFrameOf<'input_end'>): void {
    this.#byId.get(execution_id)?.end(bytes);
  }

  cut({ execution_id, code, message }: HubFrameOf<'input_cut'>): void {
    this.#byId.get(execution_id)?.cut(code, message);
  }

  #window(): number {
    const { inputTotalBytes, inputLeastWindowBytes, inputWindowBytes } = LINK_LIMITS;
    const share = Math.floor(inputTotalBytes / this.#byId.size);
    return Math.min(inputWindowBytes, Math.max(inputLeastWindowBytes, share));
  }
}

interface InputPorts {
  /** Asks for the bytes from `from` up to `upto`. Without a connection nothing is sent. */
  readonly want: (from: number, upto: number) => void;
  /** How many bytes may be on their way and here. */
  readonly window: () => number;
  readonly closed: () => void;
}

/** The body for one command. Positions are in bytes from its start. */
class ReceivedInput implements CommandInput {
  readonly #ports: InputPorts;
  readonly #pieces: Uint8Array[] = [];
  /** Everything before this position is here or was given to the command. */
  #received = 0;
  /** Everything before this position was taken by the command. */
  #taken = 0;
  /** The length of the piece that the command has and has not taken. */
  #given = 0;
  #asked = 0;
  #last: Last | undefined;
  #waiting: PromiseWithResolvers<InputPiece> | undefined;
  readonly #cutOff = Promise.withResolvers<InputCut>();

  constructor(ports: InputPorts) {
    this.#ports = ports;
  }

  get cutOff(): Promise<InputCut> {
    return this.#cutOff.promise;
  }

  next(): Promise<InputPiece> {
    this.#taken += this.#given;
    this.#given = 0;
    const piece = this.#shift();
    this.#ask();
    if (piece !== undefined) return Promise.resolve(piece);
    this.#waiting = Promise.withResolvers<InputPiece>();
    return this.#waiting.promise;
  }

  close(): void {
    this.#ports.closed();
    this.#pieces.length = 0;
  }

  /** The hub may have sent less than this agent has asked for, and does not know what has arrived. */
  askAgain(): void {
    if (this.#last !== undefined || this.#asked === 0) return;
    this.#asked = this.#taken + this.#ports.window();
    this.#ports.want(this.#received, this.#asked);
  }

  /** Ignores what is here already; after a gap the rest can never be right. */
  receive(offset: number, bytes: Uint8Array): void {
    const known = this.#received - offset;
    if (this.#last !== undefined || known >= bytes.length) return;
    if (known < 0) {
      this.cut('unavailable', `the input was cut off: bytes ${this.#received} to ${offset} are missing`);
      return;
    }
    this.#pieces.push(bytes.subarray(known));
    this.#received = offset + bytes.length;
    this.#give();
  }

  end(bytes: number): void {
    if (this.#last !== undefined) return;
    if (bytes === this.#received) this.#last = { kind: 'end' };
    else this.cut('unavailable', `the input was cut off: ${this.#received} of ${bytes} bytes have come`);
    this.#give();
  }

  /** The command is ended at once: it does not get what is already here. */
  cut(code: string, message: string): void {
    if (this.#last !== undefined) return;
    this.#pieces.length = 0;
    this.#last = { kind: 'cut', code: knownCode(code), message };
    this.#cutOff.resolve(this.#last);
    this.#give();
  }

  #give(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const piece = this.#shift();
    if (piece === undefined) return;
    this.#waiting = undefined;
    waiting.resolve(piece);
  }

  #shift(): InputPiece | undefined {
    const bytes = this.#pieces.shift();
    if (bytes === undefined) return this.#last;
    this.#given = bytes.length;
    // The data of the frame, without the header.
    return { kind: 'bytes', bytes, isSoleUser: true };
  }

  /** Asks for more in portions of half a window. */
  #ask(): void {
    if (this.#last !== undefined) return;
    const window = this.#ports.window();
    const upto = this.#taken + window;
    if (this.#asked > 0 && upto - this.#asked < window / 2) return;
    this.#asked = Math.max(upto, this.#asked);
    this.#ports.want(this.#received, this.#asked);
  }
}

/** A hub may be newer than the agent. */
function knownCode(code: string): RefusalCode {
  return (REFUSAL_CODES as readonly string[]).includes(code) ? (code as RefusalCode) : 'cancelled';
}
