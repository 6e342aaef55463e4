import { join } from 'node:path';
import { hubBeside } from './beside/hub-beside.ts';
import { configText, type EndpointYaml } from './config-text.ts';
import { postForm } from './forms.ts';
import { databaseEnvironment } from './hub-database.ts';
import { Lines } from './lines.ts';
import { startSvc } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The output of `svc up --json` when it is ready (decision 53, the program). */
interface Ready {
  readonly hub_url: string;
  readonly base_url: string;
  readonly username: string;
  readonly sign_in_url: string;
  readonly api_key: string;
  readonly access_token: string;
}

/** A real `svc up` in a process and a folder of its own, with everything that its owner can send. */
export interface UpProgram extends AsyncDisposable {
  readonly ready: Ready;
  readonly stderr: Lines;
  /** Headers of a browser that has signed in, and is on a page of the hub. */
  readonly session: Readonly<Record<string, string>>;
}

export async function upProgram(
  endpoints: readonly EndpointYaml[],
  env: Readonly<Record<string, string>> = {},
): Promise<UpProgram> {
  const folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText(endpoints));
  const settings = { ...(await databaseEnvironment()), ...env };
  const child = startSvc(['up', '--port', '0', '--json'], {
    cwd: folder.path,
    env: { SVC_DATA_DIR: join(folder.path, 'data'), ...settings },
  });
  const stderr = new Lines(child.stderr);
  const ready = JSON.parse(await new Lines(child.stdout).find(/^\{/)) as Ready;
  const beside = await hubBeside(settings);
  const signedIn = await postForm(ready.sign_in_url);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    ready,
    stderr,
    session: { cookie, origin: ready.hub_url },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      await folder[Symbol.asyncDispose]();
      await beside?.end(ready.access_token);
    },
  };
}
