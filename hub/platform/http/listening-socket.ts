import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { SocketCalls } from './socket-calls.ts';

/** A listening socket in the poll set of Bun's event loop. */
export interface ListeningSocket {
  readonly fd: number;
  /** The descriptor of the poll set. */
  readonly poll: number;
  readonly events: number;
  /** What the event loop gets with each event: its own pointer to the listener. */
  readonly data: bigint;
}

const LOOP = 'anon_inode:[eventpoll]';
const WATCHED = /^tfd:\s*(\d+) events:\s*([0-9a-f]+) data:\s*([0-9a-f]+)/gm;
/** The kernel adds errors and the end of the connection to what was asked for. */
const EPOLLIN = 1;

/** Starts a server, and finds the socket on which it listens; undefined if that is not clear. */
export function openedSocket<Server>(open: () => Server): readonly [Server, ListeningSocket | undefined] {
  const before = new Set(watchedSockets().map(({ fd, poll }) => `${poll} ${fd}`));
  const server = open();
  const opened = watchedSockets().filter(({ fd, poll }) => !before.has(`${poll} ${fd}`));
  return [server, opened.length === 1 ? opened[0] : undefined];
}

/**
 * Makes a server of Bun's accept from an inherited socket in place of its own, which is closed. `Bun.serve` takes no descriptor
 * (Bun 1.4): the inherited socket gets the number of the server's own, and its place in the poll set of the event loop.
 */
export function acceptFrom(calls: SocketCalls, inherited: number, own: ListeningSocket): void {
  calls.unblock(inherited);
  calls.duplicate(inherited, own.fd);
  calls.close(inherited);
  calls.watch(own.poll, own.fd, { events: EPOLLIN, data: own.data });
}

/** New connections wait in the kernel from now on; those that are open go on. */
export function acceptNoMore(calls: SocketCalls, { poll, fd }: ListeningSocket): void {
  calls.unwatch(poll, fd);
}

function watchedSockets(): ListeningSocket[] {
  return descriptorsOf(LOOP).flatMap((poll) =>
    [...readFileSync(`/proc/self/fdinfo/${poll}`, 'utf8').matchAll(WATCHED)].flatMap(
      ([, fd = '', events = '', data = '']) =>
        targetOf(fd).startsWith('socket:')
          ? [{ poll, fd: Number(fd), events: Number.parseInt(events, 16), data: BigInt(`0x${data}`) }]
          : [],
    ),
  );
}

function descriptorsOf(target: string): number[] {
  return readdirSync('/proc/self/fd')
    .filter((fd) => targetOf(fd) === target)
    .map(Number);
}

/** Empty for a descriptor that was closed meanwhile. */
function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
