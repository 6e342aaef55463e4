type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a URL, by the conventions of curl; undefined for a direct connection.
 *
 * Bun's WebSocket reads none of these variables itself. This machine is never reached through a proxy.
 */
export function proxyFor(url: URL, environment: Environment): string | undefined {
  if (isLoopback(url.hostname) || isExempt(url, read(environment, 'no_proxy') ?? '')) return undefined;
  const isEncrypted = url.protocol === 'wss:' || url.protocol === 'https:';
  // A CGI program can get HTTP_PROXY in capitals from a request header, so curl ignores it, and we do too.
  const proxy = isEncrypted ? read(environment, 'https_proxy') : environment.http_proxy;
  const text = present(proxy) ?? read(environment, 'all_proxy');
  // As curl reads `proxy.corp:3128`. Bun takes URLs only.
  return text === undefined || text.includes('://') ? text : `http://${text}`;
}

function read(environment: Environment, name: string): string | undefined {
  return present(environment[name]) ?? present(environment[name.toUpperCase()]);
}

/** An empty variable counts as unset. */
function present(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/** Whether an entry of NO_PROXY covers the host: `*`, a name with all below it, or an address; a port narrows it. */
function isExempt(url: URL, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (port !== undefined && port !== (url.port || defaultPort(url))) return false;
      const name = host.replace(/^\*?\./, '');
      return host === '*' || url.hostname === name || url.hostname.endsWith(`.${name}`);
    });
}

function defaultPort({ protocol }: URL): string {
  return protocol === 'wss:' || protocol === 'https:' ? '443' : '80';
}
