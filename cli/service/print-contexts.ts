import { Failure } from '../failure.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { apiOf, orFail } from './api.ts';
import { Contexts } from './contexts.ts';
import { baseUrlOf, findService, readBaseUrl } from './find-service.ts';
import type { ServiceOptions } from './options.ts';

type Json = Pick<ServiceOptions, 'json'>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** `svc context list`: one line per context; the one in use has a `*`. */
export function listContexts({ json }: Json): void {
  const { current, contexts } = new Contexts(process.env).read();
  const all = Object.entries(contexts).map(([name, url]) => ({
    name,
    base_url: url,
    in_use: name === current,
  }));
  if (json) for (const one of all) process.stdout.write(`${JSON.stringify(one)}\n`);
  else if (all.length === 0) process.stderr.write('no contexts\n');
  else
    writeRows(
      process.stdout,
      all.map(({ name, base_url, in_use }) => ({ label: `${in_use ? '*' : ' '} ${name}`, text: base_url })),
    );
}

/** `svc context add`. */
export function addContext(name: string, url: string, options: Json): void {
  if (!NAME.test(name))
    throw new Failure(`"${name}" is not a name for a context: up to 64 letters, digits, ".", "_" and "-"`);
  const baseUrl = readBaseUrl(url);
  new Contexts(process.env).add(name, baseUrl);
  print(options, { name, base_url: baseUrl }, [{ label: name, text: baseUrl }]);
}

/** `svc context use|delete`. */
export function changeContext(change: 'use' | 'delete', name: string, options: Json): void {
  const contexts = new Contexts(process.env);
  contexts[change](name);
  print(options, { name }, [{ label: name, text: change === 'use' ? 'in use' : 'deleted' }]);
}

/** `svc context show`: the address that commands use, and the account and the workspace there. */
export async function showContext(options: Json): Promise<void> {
  const baseUrl = baseUrlOf({}, process.env);
  const service = findService({}, process.env);
  const isMember = service.credential !== undefined && !service.credential.startsWith('svc_sk_');
  if (!isMember) {
    const how = service.credential === undefined ? 'not signed in' : 'with an API key';
    print(options, { base_url: baseUrl, signed_in: false }, [
      { label: 'service', text: `${baseUrl}, ${how}` },
    ]);
    return;
  }
  const { email, username, role, plan } = await orFail(apiOf(service).showWorkspace());
  print(options, { base_url: baseUrl, signed_in: true, email, username, role, plan }, [
    { label: 'service', text: baseUrl },
    { label: 'account', text: email },
    { label: 'workspace', text: `${username ?? 'no username yet'}, ${role}, plan ${plan}` },
  ]);
}

function print({ json }: Json, item: object, rows: readonly FactRow[]): void {
  if (json) process.stdout.write(`${JSON.stringify(item)}\n`);
  else writeRows(process.stdout, rows);
}
