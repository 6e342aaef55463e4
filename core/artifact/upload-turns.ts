import { ARTIFACT_LIMITS } from './limits.ts';

const { sendingExecutions, turnBytes } = ARTIFACT_LIMITS;

/** An execution whose files an agent sends. */
export interface UploadTurn {
  /** What it has sent since it got its turn; undefined: it waits for one. */
  readonly spentBytes: number | undefined;
}

/**
 * Shares the turns among the executions of an agent, round robin: `begins` get a turn now, in the order in which they wait, and `yields`
 * have had enough while others wait. They give their turn back after the present chunk, and wait behind the others.
 *
 * @param uploads in the order in which they began to wait
 */
export function shareTurns<Upload extends UploadTurn>(
  uploads: readonly Upload[],
): { readonly begins: readonly Upload[]; readonly yields: readonly Upload[] } {
  const waiting = uploads.filter(({ spentBytes }) => spentBytes === undefined);
  const sending = uploads.filter(({ spentBytes }) => spentBytes !== undefined);
  const free = Math.max(0, sendingExecutions - sending.length);
  const spentBy = ({ spentBytes = 0 }: Upload) => spentBytes;
  const yields = sending
    .filter((one) => spentBy(one) >= turnBytes)
    .sort((one, other) => spentBy(other) - spentBy(one))
    .slice(0, Math.max(0, waiting.length - free));
  return { begins: waiting.slice(0, free), yields };
}
