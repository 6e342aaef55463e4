/** One event of a stream, as its lines say it. */
export interface DecodedEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** No event of the service comes near; a stream of something else must not fill the memory. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

/** Decodes `text/event-stream`: bytes in, whole events out. The end of an event is a blank line. */
export class EventDecoder {
  readonly #decoder = new TextDecoder();
  #rest = '';

  push(chunk: Uint8Array): readonly DecodedEvent[] {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    if (!this.#rest.includes('\n\n') && this.#rest.length <= MAX_EVENT_CHARS) return [];
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    if (this.#rest.length > MAX_EVENT_CHARS) throw new Error('an event of the stream is too long');
    return blocks.flatMap(eventOf);
  }
}

/** None for a block without data, such as a comment that keeps the connection open. */
function eventOf(block: string): readonly DecodedEvent[] {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) id = fieldValue(line, 3);
    else if (line.startsWith('data:')) data.push(fieldValue(line, 5));
  }
  return data.length === 0 ? [] : [{ id, data: data.join('\n') }];
}

/** One space after the colon does not belong to the value. */
function fieldValue(line: string, from: number): string {
  return line.slice(line[from] === ' ' ? from + 1 : from);
}
