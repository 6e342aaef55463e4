import { dlopen, ptr } from 'bun:ffi';

/** The system calls for handing a listening socket from process to process, which neither Bun nor Node offers. */
export interface SocketCalls {
  /** Makes `to` another number of the socket `from`, instead of what it was; no child inherits it. Throws on failure. */
  duplicate(from: number, to: number): void;
  /** Makes calls on a descriptor return instead of waiting. */
  unblock(fd: number): void;
  close(fd: number): void;
  /** Adds a descriptor to a poll set of the kernel, or removes it. Throws on failure. */
  watch(poll: number, fd: number, entry: { readonly events: number; readonly data: bigint }): void;
  unwatch(poll: number, fd: number): void;
  /** Sends a datagram to a socket in the file system, or to an abstract one that begins with `@`. Throws on failure. */
  send(address: string, text: string, fd?: number): void;
  /** Waits until the receiver has handled everything that was sent to it: it closes one end of a pipe then. */
  untilHandled(address: string, timeoutMs: number): void;
}

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const F_GETFL = 3;
const F_SETFL = 4;
const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_DEL = 2;
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | O_CLOEXEC;
const MSG_NOSIGNAL = 0x4000;
const [SOL_SOCKET, SCM_RIGHTS] = [1, 1];

/** Undefined where the C library is another one, or code generation at run time is forbidden. */
export function socketCalls(): SocketCalls | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return load();
  } catch {
    return undefined;
  }
}

function load(): SocketCalls {
  const { symbols: c } = dlopen('libc.so.6', {
    dup3: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
    pipe2: { args: ['ptr', 'i32'], returns: 'i32' },
    poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
  });
  const send = (address: string, text: string, fd?: number) => {
    const socket = succeeded('socket', c.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0));
    try {
      const parts = messageParts(address, text, fd);
      succeeded('sendmsg', Number(c.sendmsg(socket, ptr(messageHeader(parts)), MSG_NOSIGNAL)));
    } finally {
      c.close(socket);
    }
  };
  return {
    duplicate: (from, to) => void succeeded('dup3', c.dup3(from, to, O_CLOEXEC)),
    unblock: (fd) => void succeeded('fcntl', c.fcntl(fd, F_SETFL, c.fcntl(fd, F_GETFL, 0) | O_NONBLOCK)),
    close: (fd) => void c.close(fd),
    watch: (poll, fd, entry) =>
      void succeeded('epoll_ctl', c.epoll_ctl(poll, EPOLL_CTL_ADD, fd, ptr(pollEntry(entry)))),
    unwatch: (poll, fd) =>
      void succeeded('epoll_ctl', c.epoll_ctl(poll, EPOLL_CTL_DEL, fd, ptr(new Uint8Array(16)))),
    send,
    untilHandled(address, timeoutMs) {
      const ends = new Int32Array(2);
      succeeded('pipe2', c.pipe2(ptr(ends), O_CLOEXEC));
      const [readEnd = -1, writeEnd = -1] = ends;
      try {
        send(address, 'BARRIER=1', writeEnd);
      } finally {
        c.close(writeEnd);
      }
      c.poll(ptr(new Int32Array([readEnd, 0])), 1, timeoutMs);
      c.close(readEnd);
    },
  };
}

function succeeded(name: string, result: number): number {
  if (result < 0) throw new Error(`${name} failed`);
  return result;
}

/** `struct epoll_event`, which is packed on x64 only. */
function pollEntry({ events, data }: { readonly events: number; readonly data: bigint }): Uint8Array {
  const entry = new DataView(new ArrayBuffer(16));
  entry.setUint32(0, events, true);
  entry.setBigUint64(process.arch === 'x64' ? 4 : 8, data, true);
  return new Uint8Array(entry.buffer);
}

interface MessageParts {
  readonly address: Uint8Array;
  readonly text: Uint8Array;
  /** `struct iovec`. */
  readonly vector: BigUint64Array;
  /** `struct cmsghdr` with one descriptor, if there is one. */
  readonly control: Uint8Array | undefined;
}

function messageParts(address: string, text: string, fd: number | undefined): MessageParts {
  const bytes = Buffer.from(text);
  const path = Buffer.from(address.replace(/^@/, '\0'));
  return {
    address: Buffer.concat([Buffer.from(Uint16Array.of(AF_UNIX).buffer), path]),
    text: bytes,
    vector: BigUint64Array.of(BigInt(ptr(bytes)), BigInt(bytes.length)),
    control: fd === undefined ? undefined : descriptorMessage(fd),
  };
}

function descriptorMessage(fd: number): Uint8Array {
  const control = new DataView(new ArrayBuffer(24));
  control.setBigUint64(0, 20n, true);
  control.setInt32(8, SOL_SOCKET, true);
  control.setInt32(12, SCM_RIGHTS, true);
  control.setInt32(16, fd, true);
  return new Uint8Array(control.buffer);
}

/** `struct msghdr`: address, vector, control, each with its length, and flags. */
function messageHeader({ address, vector, control }: MessageParts): BigUint64Array {
  const pointer = (part: NodeJS.TypedArray) => BigInt(ptr(part));
  const rights = control === undefined ? [0n, 0n] : [pointer(control), BigInt(control.length)];
  return BigUint64Array.from([pointer(address), BigInt(address.length), pointer(vector), 1n, ...rights, 0n]);
}
