import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { Lines } from '../lines.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export const PROXIES = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyKind = (typeof PROXIES)[number];

/** A real proxy with the configuration of `deploy/proxy/`, in front of hubs, gone with the test. */
export interface RunningProxy extends AsyncDisposable {
  /** `https://localhost:…` */
  readonly url: string;
  readonly port: number;
  /** Where it answers without TLS. */
  readonly plainPort: number;
  /** Whom its certificate is trusted by. */
  readonly caFile: string;
}

const DEPLOYED = join(import.meta.dir, '..', '..', 'deploy', 'proxy');
/** A proxy does not outlive a test run that was killed. */
const LIFETIME_SEC = 600;
const POLL_MS = 20;
/** Where Debian has programs for root, which are not in everybody's path. */
const PATH = `${process.env.PATH}:/usr/sbin`;

/** Why these proxies cannot be there; undefined where they can. */
export function proxyMissing(kind: ProxyKind): string | undefined {
  return programOf(kind) === null ? `${kind} is not installed (Debian package ${kind})` : undefined;
}

/** The changes to a file before it is used: ports, addresses, places. Everything else is as delivered. */
interface Setting {
  readonly hubs: readonly [string, string];
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
}

interface Program {
  readonly file: string;
  readonly caFile: (folder: string) => string;
  readonly replacements: (setting: Setting) => readonly (readonly [text: string, by: string])[];
  readonly command: (file: string) => readonly string[];
}

const PROGRAMS: Record<ProxyKind, Program> = {
  nginx: {
    file: 'nginx.conf',
    caFile: (folder) => join(folder, 'cert.pem'),
    replacements: ({ folder, port, plainPort }) => [
      ['listen 443', `listen ${port}`],
      ['listen [::]:443', `listen [::]:${port}`],
      ['listen 80', `listen ${plainPort}`],
      ['listen [::]:80', `listen [::]:${plainPort}`],
      ['/run/nginx.pid', join(folder, 'nginx.pid')],
      ['/etc/ssl/svc/fullchain.pem', join(folder, 'cert.pem')],
      ['/etc/ssl/svc/privkey.pem', join(folder, 'key.pem')],
      ['server_name svc.example.com', 'server_name localhost'],
    ],
    command: (file) => ['nginx', '-e', 'stderr', '-c', file, '-g', 'daemon off;'],
  },
  haproxy: {
    file: 'haproxy.cfg',
    caFile: (folder) => join(folder, 'cert.pem'),
    replacements: ({ folder, port, plainPort }) => [
      ['bind :443', `bind :${port}`],
      ['bind :::443', `bind :::${port}`],
      ['bind :80', `bind :${plainPort}`],
      ['bind :::80', `bind :::${plainPort}`],
      ['/run/haproxy/admin.sock', join(folder, 'admin.sock')],
      ['/etc/haproxy/svc.pem', join(folder, 'both.pem')],
      // Names of such sockets are those of the machine.
      ['abns@svc-inside', `abns@svc-${port}`],
    ],
    command: (file) => ['haproxy', '-db', '-f', file],
  },
  caddy: {
    file: 'Caddyfile',
    caFile: (folder) => join(folder, 'caddy', 'pki', 'authorities', 'local', 'root.crt'),
    replacements: ({ folder, port, plainPort }) => [
      ['http_port 80', `http_port ${plainPort}`],
      // For this name Caddy is its own authority, which nothing else on this machine trusts.
      ['https_port 443', `https_port ${port}\n\tskip_install_trust`],
      ['svc.example.com {', 'localhost {'],
      ['/run/caddy/admin.sock', join(folder, 'admin.sock')],
    ],
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
};

/** Settles when it answers. */
export async function startProxy(kind: ProxyKind, hubs: readonly [string, string]): Promise<RunningProxy> {
  const { file, caFile, replacements, command } = PROGRAMS[kind];
  const folder = await temporaryFolder();
  await makeCertificate(folder.path);
  const [port, plainPort] = [await freePort(), await freePort()];
  const setting = { hubs, folder: folder.path, port, plainPort };
  const config = join(folder.path, file);
  const delivered = await Bun.file(join(DEPLOYED, file)).text();
  const all = [['hub-1:8787', hubs[0]] as const, ['hub-2:8787', hubs[1]] as const, ...replacements(setting)];
  await Bun.write(config, all.reduce(replaced, delivered));
  const child = Bun.spawn(['timeout', String(LIFETIME_SEC), ...command(config)], {
    cwd: folder.path,
    env: { PATH, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = new Lines(child.stderr);
  const [address, ca] = [`https://localhost:${port}`, caFile(folder.path)];
  const died = child.exited.then((code) => {
    throw new Error(`${kind} exited with ${code}: ${log.text}`);
  });
  died.catch(() => {});
  await Promise.race([untilAnswers(`${address}/ready`, ca), died]);
  return {
    url: address,
    port,
    plainPort,
    caFile: ca,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A file that was changed does not pass for one that is tested. */
function replaced(text: string, [what, by]: readonly [string, string]): string {
  if (!text.includes(what)) throw new Error(`the configuration has no "${what}"`);
  return text.replaceAll(what, by);
}

/** A certificate for `localhost` and its key: `cert.pem`, `key.pem`, and both in `both.pem`. */
export async function makeCertificate(folder: string): Promise<void> {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = Bun.spawn(['openssl', 'req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if ((await made.exited) !== 0) throw new Error(await new Response(made.stderr).text());
  await Bun.write(join(folder, 'both.pem'), `${await Bun.file(cert).text()}${await Bun.file(key).text()}`);
}

/** It has to be asked: not every one of them says when it listens. */
async function untilAnswers(url: string, caFile: string): Promise<void> {
  for (;;) {
    const isThere = await fetch(url, { tls: { ca: Bun.file(caFile) } }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function programOf(kind: ProxyKind): string | null {
  return Bun.which(kind, { PATH });
}
