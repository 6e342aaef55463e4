import { readEvent } from '@svc/core/execution/event';
import { SseDecoder } from '@svc/core/execution/sse-decoder';

const FROM_THE_BEGINNING = '0';

/** The events of a stream so far. */
export class SeenEvents {
  readonly #slowMs: number;
  lines: string[] = [];
  lastEventId = FROM_THE_BEGINNING;
  exitCode: number | undefined;
  /** A whole answer ended without the final event: no broken connection does that. */
  isCutShort = false;

  /** @param slowMs how long it takes over each piece */
  constructor(slowMs: number) {
    this.#slowMs = slowMs;
  }

  forget(): void {
    this.lines = [];
    this.lastEventId = FROM_THE_BEGINNING;
  }

  /** To its end, or to where the connection breaks. */
  async read(response: Response): Promise<void> {
    const decoder = new SseDecoder();
    let last: string | undefined;
    try {
      for await (const bytes of response.body ?? []) {
        if (this.#slowMs > 0) await Bun.sleep(this.#slowMs);
        for (const { data, lastEventId } of decoder.push(bytes)) {
          const event = readEvent(data);
          last = event?.type;
          if (event?.type === 'output') this.lines.push(event.data);
          if (event?.type === 'done') this.exitCode = event.exit_code;
          if (lastEventId !== '') this.lastEventId = lastEventId;
        }
      }
      if (last !== 'done' && last !== 'error') this.isCutShort = true;
    } catch {
      // It continues after the last whole event.
    }
  }
}
