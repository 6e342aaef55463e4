import { releaseMemory } from '@svc/core/execution/release-memory';
import type { InputCut, InputPiece } from '../runner.ts';
import type { CommandStdin } from './start/stdin-pipe.ts';

/** The input of a command as its thread receives it, one piece after the other. */
export interface PieceSource {
  /** The next piece. Stays pending once the input was cut off. */
  next(): Promise<Exclude<InputPiece, { kind: 'cut' }>>;
  /** The command has taken the last piece. */
  taken(): void;
  /** Calls this once if the input is cut off, also while the command does not read. */
  onCut(listener: (cut: InputCut) => void): void;
}

/** Writes the input to the command, which reads the end only of a complete input. Resolves at that end. */
export async function feedStdin(stdin: CommandStdin, source: PieceSource): Promise<void> {
  for (;;) {
    const piece = await source.next();
    if (piece.kind === 'end') return await stdin.end();
    await stdin.write(piece.bytes);
    // Bytes from another thread are not shared.
    releaseMemory(piece.bytes);
    source.taken();
  }
}
