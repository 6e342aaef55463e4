import { releaseMemory } from '@svc/core/execution/release-memory';
import type { InputCut, InputPiece } from '../runner.ts';
import type { CommandStdin } from './start/stdin-pipe.ts';

/** The input of a command as its thread receives it, one piece after the other. */
export interface PieceSource {
  /** The next piece. */
  next(): Promise<InputPiece>;
  /** The command has taken the last piece. */
  taken(): void;
}

/**
 * Writes the input to the command, which reads the end only of a complete input. Returns why it was cut off; undefined: it was
 * complete.
 */
export async function feedStdin(stdin: CommandStdin, source: PieceSource): Promise<InputCut | undefined> {
  for (;;) {
    const piece = await source.next();
    if (piece.kind === 'cut') return piece;
    if (piece.kind === 'end') {
      await stdin.end();
      return undefined;
    }
    await stdin.write(piece.bytes);
    // Bytes from another thread are not shared.
    releaseMemory(piece.bytes);
    source.taken();
  }
}
