import { OutputEncoder } from '@svc/core/execution/output-encoder';
import type { Launch } from '../../runner.ts';
import type { Link } from '../link.ts';
import { Batch } from './batch.ts';

/** The way of output from the pipe to the sink: joined while it comes fast, and encoded as the launch asks. */
export class Outlet {
  readonly #link: Link;
  readonly #encoder: OutputEncoder | undefined;
  readonly #batch: Batch;

  constructor(kind: Launch['output'], link: Link) {
    this.#link = link;
    this.#encoder = kind === 'events' ? new OutputEncoder() : undefined;
    this.#batch = new Batch((bytes) => this.#send(bytes));
  }

  /** The chunk is given away. A returned promise: nothing more is to be pushed before it settles. */
  push(chunk: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    this.#batch.push(chunk);
    return this.#link.ready();
  }

  end(): void {
    this.#batch.flush();
    const last = this.#encoder?.end();
    if (last !== undefined) this.#link.send(last.sse);
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    const ready = this.#encoder === undefined ? bytes : this.#encoder.push(bytes)?.sse;
    if (ready !== undefined) this.#link.send(ready);
  }
}
