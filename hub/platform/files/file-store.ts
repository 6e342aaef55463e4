/** A file of an execution. Both parts are chosen by the hub, so no name of a caller becomes a path. */
export interface FileKey {
  /** A UUID. */
  readonly executionId: string;
  readonly id: number;
}

/** The store cannot take a file, and a repeated attempt will not change that. The message is for people. */
export class NotStorable extends Error {}

/** The bytes `from` up to, and not with, `until`. */
export interface FileRange {
  readonly from: number;
  readonly until: number;
}

/** Where the files of artifacts are (decision 72, artifacts). Memory does not grow with their size. */
interface StoredFiles {
  /** How many bytes of a file of `size` bytes have arrived, counted from its beginning. */
  received(key: FileKey, size: number): Promise<number>;
  /** Makes what has arrived the content of the file. Returns its SHA-256 in hexadecimal, from the bytes that the store has. */
  seal(key: FileKey, size: number): Promise<string>;
  /**
   * Which of these sealed files of an execution the store does not have, or not with all their bytes.
   *
   * @param sizes in bytes, by the id of the file
   */
  incomplete(executionId: string, sizes: ReadonlyMap<number, number>): Promise<readonly number[]>;
  /** A range of a sealed file, for the body of a response. It fails where the store does not have all bytes. */
  read(key: FileKey, range: FileRange): Blob | ReadableStream<Uint8Array>;
  /**
   * Writes a whole new file, sealed. It is durable when this resolves. Rejects with what the stream throws, or with `NotStorable`; then
   * a part may be there.
   */
  write(key: FileKey, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Removes one file; it may be begun again. */
  remove(key: FileKey): Promise<void>;
  removeExecution(executionId: string): Promise<void>;
  /** The executions that have files here. */
  executions(): AsyncIterable<string>;
}

/** A store to which the hub appends the bytes that an agent sends. */
export interface AppendStore extends StoredFiles {
  readonly upload: 'append';
  /**
   * Appends a stream to a file of `offset` bytes, and returns its new length; undefined for a file of another length, a longer stream, or
   * a file of which no bytes are wanted. Bytes that came before a stream broke stay. Throws `NotStorable`.
   *
   * @param mostBytes the length up to which bytes are wanted; undefined: none are. It is asked after earlier changes of this file, so
   *   nothing is written after a `remove` that follows the decision.
   */
  append(
    key: FileKey,
    offset: number,
    bytes: AsyncIterable<Uint8Array>,
    mostBytes: () => Promise<number | undefined>,
  ): Promise<number | undefined>;
}

/** A store to which agents send pieces themselves, each to a URL that the hub signs. */
export interface PieceStore extends StoredFiles {
  readonly upload: 'pieces';
  /** The bytes of each piece; the last one may be shorter. */
  readonly pieceBytes: number;
  /** Whether pieces are sent with headers. */
  readonly needsHeaders: boolean;
  /** Where the piece that begins at `offset` is sent with `PUT`, and with which headers. The URL takes exactly `bytes` bytes, and expires. */
  signPiece(
    key: FileKey,
    piece: { readonly offset: number; readonly bytes: number },
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  /** Removes the pieces that were sent. The sealed file stays. */
  removePieces(key: FileKey): Promise<void>;
}

export type FileStore = AppendStore | PieceStore;
