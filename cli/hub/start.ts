import { Refusal } from '@svc/core/refusal';
import { type HubConfig, readHubConfig } from '@svc/hub/config';
import { type HubOptions, type RunningHub, startHub } from '@svc/hub/main';
import { isStoreDamaged } from '@svc/hub/platform/db/damage';
import { ConfigError } from '@svc/hub/platform/read-variable';
import { EXIT, Failure } from '../failure.ts';
import { releasesUrl } from '../upgrade/origin.ts';
import { VERSION } from '../version.ts';

/** The configuration of the environment, with the options in place of its variables. */
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
  EACCES: ({ port }) => `this user may not use port ${port}`,
  EADDRNOTAVAIL: ({ host }) => `"${host}" is not an address of this machine`,
};

export async function startedHub(
  config: HubConfig,
  more: Pick<HubOptions, 'log' | 'warnings' | 'serviceManager'> = {},
): Promise<RunningHub> {
  try {
    return await startHub({ config, version: VERSION, releasesUrl: releasesUrl(), ...more });
  } catch (error) {
    throw portFailure(config, error) ?? dataFailure(config, error) ?? error;
  }
}

function portFailure(config: HubConfig, error: unknown): Failure | undefined {
  const { syscall, code } = error as NodeJS.ErrnoException;
  const explain = syscall === 'listen' ? PORT_ERRORS[String(code)] : undefined;
  return explain && new Failure(explain(config), { tip: '--port 0 picks a free port' });
}

/** The failure for a wrong setting of the data folder or database, or for an unreachable database. */
export function dataFailure(config: HubConfig, error: unknown): Failure | undefined {
  if (error instanceof ConfigError) return new Failure(error.message);
  if (isStoreDamaged(error)) {
    const tip = 'svc admin check lists the damage; see docs/operate/operating.md, "The store is damaged"';
    return new Failure(error.message, { tip, exitCode: EXIT.failed });
  }
  if (error instanceof Refusal && error.code === 'unavailable') {
    const variable = config.databaseUrl === undefined ? 'SVC_DATA_DIR' : 'DATABASE_URL';
    return new Failure(error.message, { tip: `check ${variable}`, exitCode: EXIT.failed });
  }
  const { path, message } = error as NodeJS.ErrnoException;
  if (path === undefined || !isAlong(config.dataDir, path)) return undefined;
  return new Failure(`the data folder cannot be used: ${message}`, { tip: 'SVC_DATA_DIR=<another folder>' });
}

/** Whether the path is inside the data folder or one of its parents. */
function isAlong(dataDir: string, path: string): boolean {
  return path.startsWith(dataDir) || dataDir.startsWith(path);
}
