import { findService } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { StdioBridge } from './bridge.ts';

export interface McpOptions extends ServiceOptions {
  readonly tools?: string;
  readonly readonly?: true;
  readonly mode?: string;
}

/** `svc mcp`: a hub as an MCP server on standard input and output. */
export async function mcp({ tools, readonly, mode, ...options }: McpOptions): Promise<void> {
  const service = findService(options, process.env);
  const query = new URLSearchParams({
    ...(tools === undefined ? {} : { tools }),
    ...(readonly === undefined ? {} : { readonly: '1' }),
    ...(mode === undefined ? {} : { mode }),
  }).toString();
  const url = `${service.baseUrl}/mcp${query === '' ? '' : `?${query}`}`;
  await new StdioBridge(service, url, process.stdout).run(process.stdin);
}
