/** One event of a stream, by the words of the standard: `type` is `message` unless an `event:` line says otherwise. */
export interface SseMessage {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

/**
 * Reads an event stream in whatever pieces it arrives, by the grammar of the WHATWG HTML standard (9.2.6).
 *
 * A message is returned by the `push` that brings its blank line; one that the stream breaks off in is never returned.
 */
export class SseDecoder {
  /** Removes the one byte order mark that the grammar allows at the start. */
  readonly #decoder = new TextDecoder();
  #partialLine = '';
  #afterCarriageReturn = false;
  #type = '';
  #data: string[] = [];
  #lastEventId = '';
  #lastEventIdInBlock = '';
  #retryMs: number | undefined;

  /** The `Last-Event-ID` for a reconnect. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** The reconnect delay that the stream requested. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  push(chunk: Uint8Array): SseMessage[] {
    const messages: SseMessage[] = [];
    for (const line of this.#completeLines(this.#decoder.decode(chunk, { stream: true }))) {
      if (line !== '') this.#readField(line);
      else this.#dispatch(messages);
    }
    return messages;
  }

  /** A line that ends in CR is complete at once; an LF that begins the next chunk then belongs to that same line end. */
  #completeLines(text: string): string[] {
    if (text === '') return [];
    const fresh = this.#afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterCarriageReturn = text.endsWith('\r');
    const lines = fresh.split(/\r\n|\n|\r/);
    lines[0] = this.#partialLine + lines[0];
    this.#partialLine = lines.pop() ?? '';
    return lines;
  }

  #readField(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#lastEventIdInBlock = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.#retryMs = Number(value);
  }

  #dispatch(messages: SseMessage[]): void {
    this.#lastEventId = this.#lastEventIdInBlock;
    if (this.#data.length > 0) {
      messages.push({
        type: this.#type === '' ? 'message' : this.#type,
        data: this.#data.join('\n'),
        lastEventId: this.#lastEventId,
      });
    }
    this.#type = '';
    this.#data = [];
  }
}
