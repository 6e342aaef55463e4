import { Refusal } from '@svc/core/refusal';
import { ConfigError, type HubConfig, readHubConfig } from '@svc/hub/config';
import { type HubOptions, type RunningHub, startHub } from '@svc/hub/main';
import { isStoreDamaged } from '@svc/hub/platform/db/store-damaged';
import { EXIT, Failure } from '../failure.ts';
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

export async function startedHub(
  config: HubConfig,
  more: Pick<HubOptions, 'log' | 'warnings'> = {},
): Promise<RunningHub> {
  try {
    return await startHub({ config, version: VERSION, ...more });
  } catch (error) {
    throw portFailure(config, error) ?? dataFailure(config, error) ?? error;
  }
}

function portFailure(config: HubConfig, error: unknown): Failure | undefined {
  const { syscall, code } = error as NodeJS.ErrnoException;
  const explain = syscall === 'listen' ? PORT_ERRORS[String(code)] : undefined;
  return explain && new Failure(explain(config), { tip: '--port 0 takes a free one' });
}

/** What the environment says about the data cannot be right, or the database is not there just now. */
export function dataFailure(config: HubConfig, error: unknown): Failure | undefined {
  if (error instanceof ConfigError) return new Failure(error.message);
  if (isStoreDamaged(error)) {
    const tip =
      'svc admin check says what is damaged; docs/operate/operating.md, "The store is damaged", says what to do';
    return new Failure(error.message, { tip, exitCode: EXIT.failed });
  }
  if (error instanceof Refusal && error.code === 'unavailable') {
    const variable = config.databaseUrl === undefined ? 'SVC_DATA_DIR' : 'DATABASE_URL';
    return new Failure(error.message, { tip: `${variable} says where it is`, exitCode: EXIT.failed });
  }
  const { path, message } = error as NodeJS.ErrnoException;
  if (path === undefined || !isAlong(config.dataDir, path)) return undefined;
  return new Failure(`the data folder cannot be used: ${message}`, { tip: 'SVC_DATA_DIR=<another folder>' });
}

/** A file in the folder, or a folder that leads to it. */
function isAlong(dataDir: string, path: string): boolean {
  return path.startsWith(dataDir) || dataDir.startsWith(path);
}
