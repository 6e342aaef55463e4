import { createHash } from 'node:crypto';
import type { ApprovedFile } from '@svc/core/execution/received-file';
import type { CommandInput, InputCut, InputPiece } from '../../runner/runner.ts';

/**
 * A body that was approved. The command does not read the end of another one: it is ended before (decision 83, bodies that wait for
 * approval).
 */
export class ApprovedInput implements CommandInput {
  readonly #input: CommandInput;
  readonly #approved: Pick<ApprovedFile, 'bytes' | 'sha256'>;
  readonly #sha256 = createHash('sha256');
  #bytes = 0;

  constructor(input: CommandInput, approved: Pick<ApprovedFile, 'bytes' | 'sha256'>) {
    this.#input = input;
    this.#approved = approved;
  }

  get cutOff(): Promise<InputCut> {
    return this.#input.cutOff;
  }

  async next(): Promise<InputPiece> {
    const piece = await this.#input.next();
    switch (piece.kind) {
      case 'bytes':
        this.#bytes += piece.bytes.length;
        if (this.#bytes > this.#approved.bytes) return NOT_APPROVED;
        this.#sha256.update(piece.bytes);
        return piece;
      case 'end':
        return this.#isApproved() ? piece : NOT_APPROVED;
      case 'cut':
        return piece;
    }
  }

  close(): void {
    this.#input.close();
  }

  #isApproved(): boolean {
    const { bytes, sha256 } = this.#approved;
    return this.#bytes === bytes && this.#sha256.digest('hex') === sha256;
  }
}

const NOT_APPROVED: InputPiece = {
  kind: 'cut',
  code: 'agent_refused',
  message: 'the input was cut off: it is not the body that was approved',
};
