import { createConnection, type Socket } from 'node:net';
import { EngineError } from '../../engine.ts';
import type { DockerApi } from './docker-api.ts';
import { StreamFrames } from './stream-frames.ts';

const COMPLAINT_CHARS = 2_000;
const END_OF_HEAD = '\r\n\r\n';
/** Matches an upgrade: 101, or 200 from older engines. The connection then belongs to the container. */
const TAKEN_OVER = /^HTTP\/1\.1 (101|200) /;

/** The standard streams of one container. */
export class Attachment {
  /** The stdout of the container. The container waits while no one reads. */
  readonly output: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Resolves when the connection is closed, with the last part of the container's stderr. */
  readonly closed: Promise<string>;
  readonly #connection: Socket;
  readonly #frames = new StreamFrames();
  #complaint = '';

  constructor(connection: Socket, first: Uint8Array<ArrayBuffer>) {
    this.#connection = connection;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.closed = promise;
    connection.once('close', () => resolve(this.#complaint.trim()));
    this.output = new ReadableStream(this.#source(first), { highWaterMark: 0 });
  }

  send(bytes: Uint8Array): void {
    this.#connection.write(bytes);
  }

  /** Also ends the container's stdin. */
  close(): void {
    this.#connection.destroy();
  }

  #source(first: Uint8Array<ArrayBuffer>): UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
    const connection = this.#connection;
    let isOpen = true;
    return {
      start: (controller) => {
        const take = (chunk: Uint8Array<ArrayBuffer>) => {
          if (!isOpen) return;
          for (const bytes of this.#stdoutIn(chunk)) controller.enqueue(bytes);
          if ((controller.desiredSize ?? 0) <= 0) connection.pause();
        };
        take(first);
        connection.on('data', (chunk: Buffer) => take(new Uint8Array(chunk)));
        connection.once('close', () => {
          if (isOpen) controller.close();
          isOpen = false;
        });
      },
      pull: () => void connection.resume(),
      cancel: () => {
        isOpen = false;
        // Further output is dropped so that the end is noticed. The container's stdin stays open until its removal.
        connection.resume();
      },
    };
  }

  #stdoutIn(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
    try {
      const pieces = this.#frames.push(chunk);
      for (const { from, bytes } of pieces)
        if (from === 'stderr') this.#complain(new TextDecoder().decode(bytes));
      return pieces.filter(({ from }) => from === 'stdout').map(({ bytes }) => bytes);
    } catch (error) {
      this.#complain((error as Error).message);
      this.#connection.destroy();
      return [];
    }
  }

  #complain(text: string): void {
    this.#complaint = (this.#complaint + text).slice(-COMPLAINT_CHARS);
  }
}

/** Connects to the streams of a container before it starts, so that no output is missed. */
export async function attach({ socket, prefix }: DockerApi, id: string): Promise<Attachment> {
  const connection = createConnection({ path: socket });
  const target = `${prefix}/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
  const head = [`POST ${target} HTTP/1.1`, 'Host: docker', 'Connection: Upgrade', 'Upgrade: tcp'];
  connection.write(head.join('\r\n') + END_OF_HEAD);
  try {
    return new Attachment(connection, await takenOver(connection));
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** Resolves with the bytes after the head of the answer. */
function takenOver(connection: Socket): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  let answer = '';
  const fail = (why: string) => reject(new EngineError(`a container could not be attached to: ${why}`));
  const take = (chunk: Buffer) => {
    answer += chunk.toString('latin1');
    const end = answer.indexOf(END_OF_HEAD);
    if (end < 0) return;
    connection.pause().off('data', take);
    if (!TAKEN_OVER.test(answer)) return fail(answer.replaceAll('\r\n', ' '));
    resolve(Uint8Array.from(Buffer.from(answer.slice(end + END_OF_HEAD.length), 'latin1')));
  };
  connection.on('data', take);
  // The listener stays: a later error closes the connection, which is handled.
  connection.on('error', ({ message }) => fail(message));
  connection.once('close', () => fail('the engine closed the connection'));
  return promise;
}
