import { accessToRead } from '@svc/core/execution/access';
import { OUTPUT_TOOL, RUN_TOOL, STATUS_TOOL } from '@svc/core/mcp/own-tools';
import { readScopes, scopesText, scopesToRun } from '@svc/core/oauth/scopes';
import { z } from 'zod';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Visit } from './visit.ts';

const toolCall = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({
    name: z.string(),
    arguments: z.looseObject({ name: z.unknown(), id: z.unknown() }).partial().optional(),
  }),
});

interface MissingScopesDeps {
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly runs: Pick<PipelineRuns, 'find'>;
}

/**
 * The scopes that an AI client has to ask for before it sends the message again; undefined: it has enough. An endpoint that does not
 * exist gets the same answer as one outside of the scopes, so the answer reveals nothing (decision 25, errors).
 */
export async function missingScopes(
  { ledger, runs }: MissingScopesDeps,
  { caller, workspace }: Pick<Visit, 'caller' | 'workspace'>,
  message: unknown,
): Promise<string | undefined> {
  if (caller.kind !== 'api_key' || caller.granted === undefined) return undefined;
  const { data } = toolCall.safeParse(message);
  if (data === undefined) return undefined;
  const granted = readScopes(caller.granted);
  const { name, arguments: { name: target, id } = {} } = data.params;
  if (name === OUTPUT_TOOL.name || name === STATUS_TOOL.name) {
    if (granted.read || typeof id !== 'string') return undefined;
    const record = (await ledger.find(id)) ?? (await runs.find(id));
    const isThere = record?.workspaceId === workspace.id;
    return isThere && accessToRead(caller, record) !== 'allowed'
      ? scopesText({ ...granted, read: true })
      : undefined;
  }
  const slug = name === RUN_TOOL.name ? target : name;
  return typeof slug === 'string' && !slug.startsWith('svc_') ? scopesToRun(granted, slug) : undefined;
}
