import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail server that keeps what it gets. */
export interface Mailbox extends AsyncDisposable {
  /** For `SMTP_URL`. */
  readonly url: string;
  /** The next mail to this address that was not taken yet. */
  take(email: string): Promise<ReceivedMail>;
}

export interface ReceivedMail {
  readonly raw: string;
  readonly mail: Email;
}

export async function openMailbox(): Promise<Mailbox> {
  const received: ReceivedMail[] = [];
  let wake = () => {};
  const keep = async (stream: AsyncIterable<Uint8Array>) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    received.push({ raw, mail: await PostalMime.parse(raw) });
    wake();
  };
  const keepAndAnswer = async (stream: AsyncIterable<Uint8Array>, done: (error?: Error) => void) => {
    try {
      await keep(stream);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      void keepAndAnswer(stream as unknown as AsyncIterable<Uint8Array>, done);
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    async take(email) {
      for (;;) {
        const at = received.findIndex(({ mail }) => mail.to?.[0]?.address === email);
        const [found] = at < 0 ? [] : received.splice(at, 1);
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  };
}
