import type { AlertEvent } from '@svc/core/alert/event';
import type { PayloadData } from '@svc/core/alert/payload';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { isResultPiece, plainText, storedOutput } from '../executions/stored-output.ts';
import { isStoreDamaged } from '../platform/db/damage.ts';
import type { Vault } from '../platform/world.ts';

interface CompleteDeps {
  readonly hubUrl: string;
  readonly ledger: Pick<ExecutionLedger, 'find' | 'output'>;
  readonly vault: Vault;
}

/** Adds the page of the dashboard and the last lines of output. The agent has masked the secrets in them. */
export function completeEvent({ hubUrl, ledger, vault }: CompleteDeps) {
  return async (event: AlertEvent): Promise<AlertEvent> => {
    const { execution_id: executionId } = event.data;
    const page = pageOf(hubUrl, event);
    const owner = { workspaceId: event.workspaceId, kind: 'alert_link', id: event.id } as const;
    const sealedLink = event.sealedLink ?? (page && vault.seal(page, owner));
    if (!('last_lines' in event.data) || typeof executionId !== 'string') return { ...event, sealedLink };
    return {
      ...event,
      sealedLink,
      data: { ...event.data, last_lines: await lastLines(ledger, executionId) },
    };
  };
}

function pageOf(hubUrl: string, { data, name }: AlertEvent): string | undefined {
  if (name === 'approval.pending') return `${hubUrl}/dashboard/approvals`;
  if (name.startsWith('execution.')) return `${hubUrl}/dashboard/executions/${String(data.execution_id)}`;
  if (name.startsWith('pipeline.')) return `${hubUrl}/dashboard/pipeline-runs/${String(data.run_id)}`;
  if (name !== 'no_success_since' && name !== 'success_resumed') return undefined;
  const { endpoint, pipeline } = data as PayloadData<'no_success_since'>;
  return pipeline === null
    ? `${hubUrl}/dashboard/endpoints/${endpoint}`
    : `${hubUrl}/dashboard/pipelines/${pipeline}`;
}

const LAST_LINES = 20;
const LAST_LINE_CHARS = 500;
/** Each chunk has at least one line of output. */
const LAST_PIECES = 40;

/** The last lines; empty if the stored output is damaged, so that damage delays neither this alert nor later ones. */
async function lastLines(ledger: CompleteDeps['ledger'], executionId: string): Promise<string[]> {
  try {
    return await readLastLines(ledger, executionId);
  } catch (error) {
    if (!isStoreDamaged(error)) throw error;
    return [];
  }
}

async function readLastLines(ledger: CompleteDeps['ledger'], executionId: string): Promise<string[]> {
  const execution = await ledger.find(executionId);
  const after = Math.max(0, (execution?.lastSeq ?? 0) - LAST_PIECES);
  let text = '';
  for await (const chunk of storedOutput(ledger, executionId, after))
    if (!isResultPiece(chunk)) text += plainText(chunk);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.slice(-LAST_LINES).map((line) => line.slice(0, LAST_LINE_CHARS));
}
