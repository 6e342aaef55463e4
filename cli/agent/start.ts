import { connectAgent } from '@svc/agent/connect';
import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { Failure } from '../failure.ts';

type Options = Parameters<typeof connectAgent>[0];

/**
 * Starts an agent. A problem of its folder is a failure for the operator, not a bug.
 *
 * @param tip the command to try after such a failure
 */
export async function startAgent(options: Options, tip: string): Promise<ConnectedAgent> {
  try {
    return await connectAgent(options);
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new Failure(`the agent cannot keep its journal in ${options.stateFolder}: ${error.message}`, {
      tip,
    });
  }
}

function isFileError(error: unknown): error is Error {
  const code = (error as { code?: unknown }).code;
  return error instanceof Error && typeof code === 'string' && /^(?:E[A-Z]+|SQLITE_)/.test(code);
}
