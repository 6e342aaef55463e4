import { ConfigError, type HubConfig, readHubConfig } from '@svc/hub/config';
import { type HubOptions, type RunningHub, startHub } from '@svc/hub/main';
import { Failure } from '../failure.ts';
import { VERSION } from '../version.ts';

/** The configuration of the environment, with what options say instead. */
export function hubConfig({ port, host }: { readonly port?: number; readonly host?: string }): HubConfig {
  try {
    const config = readHubConfig(process.env);
    return { ...config, port: port ?? config.port, host: host ?? config.host };
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(error.message);
    throw error;
  }
}

const PORT_ERRORS: Readonly<Record<string, (config: HubConfig) => string>> = {
  EADDRINUSE: ({ port, host }) => `port ${port} is in use on ${host}`,
  EACCES: ({ port }) => `port ${port} may not be used by this user`,
  EADDRNOTAVAIL: ({ host }) => `"${host}" is no address of this machine`,
};

export async function startedHub(config: HubConfig, log?: HubOptions['log']): Promise<RunningHub> {
  try {
    return await startHub({ config, version: VERSION, ...(log ? { log } : {}) });
  } catch (error) {
    const explain = PORT_ERRORS[String((error as NodeJS.ErrnoException).code)];
    if (explain !== undefined) throw new Failure(explain(config), { tip: '--port 0 takes a free one' });
    throw error;
  }
}
