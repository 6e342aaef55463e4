import type { Execution, ExecutionLedger } from '@svc/hub/executions/execution-ports';
import { plainText } from '@svc/hub/executions/stored-output';
import { storeIn } from '../peers/seed.ts';
import { NOOP_OUTPUT } from './noop.ts';

const PAGE = 2_000;
/** More than an execution of the no-op agent has. */
const SOME_CHUNKS = 10;

/**
 * Reads every execution back from the store of a hub that has stopped, with its output; anything that is not as it was
 * answered is an error, because the figures would mean nothing. Answers with what it found, in words.
 *
 * There may be more than were answered: the load generator leaves when its time is over, and what it asked last goes on.
 */
export async function checkStored(dataDir: string, workspaceId: string, answered: number): Promise<string> {
  await using store = await storeIn(dataDir);
  let stored = 0;
  for await (const executions of pages(store.executions, workspaceId)) {
    await Promise.all(executions.map((execution) => checkExecution(store.executions, execution)));
    stored += executions.length;
  }
  if (stored < answered) throw new Error(`${answered} executions were answered and ${stored} are stored`);
  const count = stored.toLocaleString('en');
  return `all ${count} executions read back from the store as succeeded, with their output`;
}

async function* pages(ledger: ExecutionLedger, workspaceId: string): AsyncGenerator<Execution[]> {
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await ledger.list({ workspaceId, limit: PAGE, ...(cursor && { cursor }) });
    yield items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

async function checkExecution(ledger: ExecutionLedger, { id, state, exitCode }: Execution): Promise<void> {
  const chunks = await ledger.output(id, 0, SOME_CHUNKS);
  const output = chunks.map(plainText).join('');
  if (state !== 'succeeded' || exitCode !== 0 || output !== NOOP_OUTPUT)
    throw new Error(`execution ${id} is ${state} with ${exitCode} and printed ${JSON.stringify(output)}`);
}
