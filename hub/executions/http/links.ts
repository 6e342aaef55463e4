/** The URLs of an execution; an anonymous caller's have its read token in them (decision 20). */
export interface ExecutionLinks {
  readonly statusUrl: string;
  readonly streamUrl: string;
  readonly outputUrl: string;
}

export function executionLinks(baseUrl: string, executionId: string, readToken?: string): ExecutionLinks {
  const url = `${baseUrl}/executions/${executionId}`;
  const query = readToken === undefined ? '' : `?token=${readToken}`;
  return { statusUrl: url + query, streamUrl: `${url}/stream${query}`, outputUrl: `${url}/output${query}` };
}
