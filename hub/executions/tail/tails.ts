import { countEvents } from '@svc/core/execution/split-frame';
import { mayShow, showsLine, type TailFilter } from '@svc/core/tail/tail-filter';
import { type TailBatch, TailBuffer, tailLines } from '@svc/core/tail/tail-line';
import type { Clock } from '../../platform/world.ts';
import type { OutputChunk } from '../execution-ports.ts';
import type { Started } from '../live/running-executions.ts';
import { isResultPiece } from '../stored-output.ts';

/** Lines within this time are sent together. */
const GATHER_MS = 100;
/** The limit of one tail in that time. Further lines are counted. */
const BATCH = { lines: 300, chars: 64 * 1024 };
/** The output of one workspace that is read for its tails in that time. What comes beyond is only counted. */
const READ_BYTES = 256 * 1024;
/** The lines of that output that are read. Raw output can consist of line breaks only. */
const READ_LINES = 10_000;

interface Tail {
  readonly filter: TailFilter;
  readonly buffer: TailBuffer;
  readonly deliver: (batch: TailBatch) => void;
}

interface WorkspaceTails {
  readonly tails: Set<Tail>;
  /** Output read since the last delivery. */
  readBytes: number;
  readLines: number;
  isGathering: boolean;
}

/**
 * The tails of the executions that run at this hub, for readers here and at other hubs.
 *
 * A tail never waits for its reader and no execution waits for a tail: lines beyond the limits are counted and dropped. Without a
 * tail in its workspace, a piece of output costs one look-up.
 */
export class Tails {
  readonly #clock: Clock;
  readonly #workspaces = new Map<string, WorkspaceTails>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a tail; the returned function closes it. Batches are delivered a few times per second, and only if they have lines. */
  open(workspaceId: string, filter: TailFilter, deliver: (batch: TailBatch) => void): () => void {
    const tail = { filter, buffer: new TailBuffer(BATCH), deliver };
    const known = this.#workspaces.get(workspaceId);
    const workspace = known ?? { tails: new Set(), readBytes: 0, readLines: 0, isGathering: false };
    this.#workspaces.set(workspaceId, workspace);
    workspace.tails.add(tail);
    return () => {
      workspace.tails.delete(tail);
      if (workspace.tails.size === 0 && this.#workspaces.get(workspaceId) === workspace)
        this.#workspaces.delete(workspaceId);
    };
  }

  /** Receives a piece of output before anything else has it: its bytes may be released afterwards. */
  receive(execution: Started, chunk: OutputChunk): void {
    const workspace = this.#workspaces.get(execution.workspaceId);
    if (workspace === undefined || isResultPiece(chunk)) return;
    const tails = [...workspace.tails].filter(({ filter }) => mayShow(filter, execution));
    if (tails.length === 0) return;
    this.#read(workspace, tails, execution, chunk.sse);
    this.#deliverSoon(workspace);
  }

  #read(workspace: WorkspaceTails, tails: readonly Tail[], execution: Started, sse: Uint8Array): void {
    const isFirst = workspace.readBytes === 0;
    workspace.readBytes += sse.length;
    if (!isFirst && workspace.readBytes > READ_BYTES) {
      drop(tails, countEvents(sse));
      return;
    }
    const before = workspace.readLines;
    try {
      for (const line of tailLines(sse, { executionId: execution.id, endpoint: execution.slug })) {
        if (workspace.readLines >= READ_LINES) {
          drop(tails, Math.max(1, countEvents(sse) - (workspace.readLines - before)));
          return;
        }
        workspace.readLines += 1;
        for (const { filter, buffer } of tails) if (showsLine(filter, line)) buffer.add(line);
      }
    } catch {
      // No correct agent sends such bytes; a reader of the execution itself gets the error.
      drop(tails, 1);
    }
  }

  #deliverSoon(workspace: WorkspaceTails): void {
    if (workspace.isGathering) return;
    workspace.isGathering = true;
    this.#clock.at(this.#clock.nowMs() + GATHER_MS, () => {
      workspace.isGathering = false;
      workspace.readBytes = 0;
      workspace.readLines = 0;
      for (const { buffer, deliver } of [...workspace.tails]) if (!buffer.isEmpty) deliver(buffer.take());
    });
  }
}

function drop(tails: readonly Tail[], count: number): void {
  for (const { buffer } of tails) buffer.drop(count);
}
