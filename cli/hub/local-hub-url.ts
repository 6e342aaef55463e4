/** A hub that listens on all addresses also listens on loopback. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** The address of a hub for programs on its own machine. */
export function localHubUrl(host: string, port: number | string): string {
  return `http://${LOOPBACK[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
}
