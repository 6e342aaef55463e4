import { acceptFrom, acceptNoMore, openedSocket } from './listening-socket.ts';
import { type SocketCalls, socketCalls } from './socket-calls.ts';

/** What a service manager says to its services in their environment: sd_listen_fds(3) and sd_notify(3). */
export interface ServiceManager {
  /** The descriptors that it has kept for this process by name. */
  readonly kept: ReadonlyMap<string, number>;
  /** The socket that takes its messages. */
  readonly notify: string;
}

const FIRST_DESCRIPTOR = 3;
const BARRIER_MS = 5_000;

/** Reads the variables of systemd; undefined if it takes no messages from this process. */
export function readServiceManager(
  environment: Readonly<Record<string, string | undefined>>,
  pid: number,
): ServiceManager | undefined {
  const { NOTIFY_SOCKET: notify, LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = environment;
  if (!notify) return undefined;
  const count = LISTEN_PID === String(pid) ? Number(LISTEN_FDS) : 0;
  const names = LISTEN_FDNAMES.split(':').slice(0, count);
  return { notify, kept: new Map(names.map((name, index) => [name, FIRST_DESCRIPTOR + index])) };
}

/** An address as the name of a descriptor, in which systemd allows no colon. */
export function socketName(host: string, port: number): string {
  return `http-${host.replaceAll(':', '_')}-${port}`;
}

/** How a server listens: on an address, or for the moment anywhere on loopback. */
type Open<Server> = (address: Address) => Server;
interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server whose listening socket the service manager keeps: connections wait in the kernel while no process accepts them. */
export interface KeptListener<Server> {
  readonly server: Server;
  /** The socket is one that an earlier process has left, and connections may be waiting. Nothing is accepted before `open`. */
  readonly isInherited: boolean;
  open(): void;
  /** New connections wait from now on; those that are open go on. */
  acceptNoMore(): void;
}

/**
 * Listens on an address with the socket that the service manager has kept under its name, or with a new one that it keeps from
 * now on. Undefined where this cannot be done; then nothing is kept, and nothing listens.
 */
export function listenKept<Server extends { stop(now: boolean): unknown }>(
  manager: ServiceManager,
  address: Address,
  open: Open<Server>,
): KeptListener<Server> | undefined {
  const calls = socketCalls();
  // A port that the system chooses is another one for each process.
  if (calls === undefined || address.port === 0) return undefined;
  const name = socketName(address.host, address.port);
  // A socket for an address of earlier settings would go on taking connections.
  forget(calls, manager, ([kept]) => kept !== name);
  const inherited = manager.kept.get(name);
  if (inherited === undefined) return keptListener(calls, manager, name, () => open(address));
  const [server, own] = openedSocket(() => open({ host: '127.0.0.1', port: 0 }));
  if (own === undefined) {
    server.stop(true);
    forget(calls, manager, ([kept]) => kept === name);
    return undefined;
  }
  return {
    server,
    isInherited: true,
    open: () => acceptFrom(calls, inherited, own),
    acceptNoMore: () => acceptNoMore(calls, own),
  };
}

function keptListener<Server extends { stop(now: boolean): unknown }>(
  calls: SocketCalls,
  { notify }: ServiceManager,
  name: string,
  open: () => Server,
): KeptListener<Server> | undefined {
  const [server, own] = openedSocket(open);
  try {
    if (own === undefined) throw new Error('the socket was not found');
    calls.send(notify, `FDSTORE=1\nFDNAME=${name}`, own.fd);
    return { server, isInherited: false, open() {}, acceptNoMore: () => acceptNoMore(calls, own) };
  } catch {
    // Served without it all the same: the caller listens again.
    server.stop(true);
    return undefined;
  }
}

/** Closes kept sockets, and waits until the service manager has closed them as well: only then is their address free. */
function forget(
  calls: SocketCalls,
  { notify, kept }: ServiceManager,
  isForgotten: (entry: readonly [string, number]) => boolean,
): void {
  const forgotten = [...kept].filter(isForgotten);
  if (forgotten.length === 0) return;
  for (const [name, fd] of forgotten) {
    calls.close(fd);
    calls.send(notify, `FDSTOREREMOVE=1\nFDNAME=${name}`);
  }
  calls.untilHandled(notify, BARRIER_MS);
}
