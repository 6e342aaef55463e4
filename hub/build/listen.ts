import { type Network, readNetwork } from '@svc/core/alert/address';
import { requestTarget } from '@svc/core/api/request-target';
import { refuse } from '@svc/core/refusal';
import { type SocketData, webSocketHandlers } from '../agent-links/upgrade.ts';
import type { HubConfig } from '../config.ts';
import { refusalResponse } from '../platform/http/json-response.ts';
import { listenKept, type ServiceManager } from '../platform/http/socket-keeper.ts';
import type { Settings } from '../platform/settings.ts';

/** Longer than a call may wait for a store that is locked or gone: it still gets its 503. */
const IDLE_TIMEOUT_SEC = 60;
const AGENTS_PATH = '/agents/connect';
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export type HubServer = Bun.Server<SocketData>;

/** The handlers of the server; replaced once the hub is ready, and again when it stops. */
export interface RequestHandlers {
  answer(request: Request): Promise<Response>;
  /** Undefined after the connection was upgraded. */
  connectAgent(request: Request, server: HubServer): Promise<Response | undefined>;
}

/** The handlers until the store is open, and while the hub stops. */
export const CLOSED: RequestHandlers = { answer: async () => closed(), connectAgent: async () => closed() };

/** The server of a hub, and its listening socket. */
export interface HubListener {
  readonly server: HubServer;
  readonly port: number;
  /** A service manager keeps the socket: connections wait for the next process while this one does not accept them. */
  readonly isKept: boolean;
  /** The socket is one that an earlier process has left. */
  readonly isInherited: boolean;
  /** Begins to accept from an inherited socket. */
  open(): void;
  /** New connections wait from now on, if the socket is kept. */
  acceptNoMore(): void;
}

/** Listens at once, because the addresses of the hub depend on the port. An inherited socket accepts only when the hub is open. */
export function listen(
  { host, port }: HubConfig,
  handlers: () => RequestHandlers,
  manager?: ServiceManager,
): HubListener {
  const open = (address: { readonly host: string; readonly port: number }) => serve(address, handlers);
  const kept = manager && listenKept(manager, { host, port }, open);
  if (kept !== undefined) return { ...kept, port, isKept: true };
  const server = open({ host, port });
  return {
    server,
    port: server.port ?? port,
    isKept: false,
    isInherited: false,
    open() {},
    acceptNoMore() {},
  };
}

function serve(
  { host, port }: { readonly host: string; readonly port: number },
  handlers: () => RequestHandlers,
): HubServer {
  return Bun.serve<SocketData>({
    hostname: host,
    port,
    idleTimeout: IDLE_TIMEOUT_SEC,
    // Bodies are limited where they are read, with a proper refusal.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    websocket: webSocketHandlers(),
    fetch: (request, server) =>
      isAgent(request) ? handlers().connectAgent(request, server) : handlers().answer(request),
  });
}

/** The address for programs on the same machine. */
export function localUrl({ port }: Pick<HubListener, 'port'>, host: string): string {
  const address = WILDCARDS.has(host) ? '127.0.0.1' : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

export function settingsOf(
  config: HubConfig,
  { version, releasesUrl }: Pick<Settings, 'version' | 'releasesUrl'>,
  address: string,
): Settings {
  const hubUrl = config.hubUrl ?? address;
  const { forwardCapSec, rates, signup, operators } = config;
  return {
    ...{ version, releasesUrl, hubUrl, forwardCapSec, rates, signup, operators },
    baseUrl: config.baseUrl ?? hubUrl,
    hasMailServer: config.smtpUrl !== undefined,
    providerName: config.oidc?.name,
    providerOfGroups: config.oidc?.groupsClaim && config.oidc.name,
    groupWorkspaces: config.oidc?.groupWorkspaces ?? [],
    scimWorkspaces: config.scimWorkspaces,
    trustedProxies: networksOf(config.trustedProxies),
    alertNetworks: networksOf(config.alertPrivateNetworks),
    hasOutputSearch: config.outputSearch === 'on',
    hasClientRegistration: config.mcpClientRegistration === 'on',
  };
}

function networksOf(texts: readonly string[]): Network[] {
  return texts.flatMap((text) => readNetwork(text) ?? []);
}

function isAgent({ method, url }: Request): boolean {
  return method === 'GET' && url.includes(AGENTS_PATH) && requestTarget(url).path === AGENTS_PATH;
}

function closed(): Response {
  return refusalResponse(refuse('unavailable', 'the hub is starting or stopping'));
}
