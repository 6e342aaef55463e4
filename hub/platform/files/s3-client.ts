import { refuse } from '@svc/core/refusal';
import { Semaphore } from '@svc/core/semaphore';
import { AwsClient } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { keyHeaders, type StoredObject } from './object-keys.ts';
import type { S3Settings } from './s3-settings.ts';

/** Requests of one hub at once. */
const CONCURRENCY = 8;
const RETRIES = 3;
const ANSWER_MS = 60_000;
/** How long a signed URL may be used. The store checks it when a request begins. */
const SIGNED_SEC = 300;
const NOT_FOUND = 404;

const LISTS = new Set(['Contents', 'CommonPrefixes']);
const xml = new XMLParser({ parseTagValue: false, isArray: (name) => LISTS.has(name) });

interface ListPage {
  readonly Contents?: readonly { readonly Key: string; readonly Size: string }[];
  readonly CommonPrefixes?: readonly { readonly Prefix: string }[];
  readonly NextContinuationToken?: string;
}

/** A request that a client without credentials sends. The URL takes it only with exactly these headers. */
export interface SignedUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Called with what the object store answered, for the log of the hub. */
export type OnS3Problem = (problem: unknown) => void;

/**
 * The requests that artifacts need of an object store. Keys are below the prefix of the settings. Each refuses with `unavailable` when
 * the store does not do what was asked.
 *
 * The URLs have the form endpoint/bucket/key, which every S3-compatible store takes.
 */
export class S3Client {
  readonly #settings: S3Settings;
  readonly #onProblem: OnS3Problem;
  readonly #client: AwsClient;
  readonly #limit = new Semaphore(CONCURRENCY);

  constructor(settings: S3Settings, onProblem: OnS3Problem) {
    const { accessKeyId, secretAccessKey, region } = settings;
    this.#settings = settings;
    this.#onProblem = onProblem;
    this.#client = new AwsClient({
      ...{ accessKeyId, secretAccessKey, region },
      ...{ service: 's3', retries: RETRIES },
    });
  }

  /** The sizes of all objects whose keys begin with a prefix, by the rest of the key. */
  async sizes(prefix: string): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for await (const { Contents = [] } of this.#pages(prefix, ''))
      for (const { Key, Size } of Contents) sizes.set(this.#below(prefix, Key), Number(Size));
    return sizes;
  }

  /** The names of the folders below a prefix that is empty or ends with `/`. */
  async *folders(prefix: string): AsyncGenerator<string> {
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, '/'))
      for (const one of CommonPrefixes) yield this.#below(prefix, one.Prefix).replace(/\/$/, '');
  }

  /**
   * Bytes of the first of these objects that is there. They begin at `from`, and there must be exactly `bytes` of them in the object from
   * there on.
   */
  async read(objects: readonly StoredObject[], from: number, bytes: number): Promise<Uint8Array> {
    const range = `bytes=${from}-${from + bytes - 1}`;
    for (const object of objects) {
      const headers = { Range: range, ...keyHeaders(object) };
      const isThere = ({ status }: Response) => status !== NOT_FOUND;
      const read = await this.#send(
        object.name,
        { headers },
        async (answer) => ({ bytes: await answer.bytes(), isThere: isThere(answer) }),
        [NOT_FOUND],
      );
      if (!read.isThere) continue;
      if (read.bytes.length === bytes) return read.bytes;
      return this.#fail(
        new Error(`the object store has ${read.bytes.length} bytes instead of ${bytes} of "${object.name}"`),
      );
    }
    return this.#fail(new Error(`the object store does not have "${objects[0]?.name}"`));
  }

  async put(object: StoredObject, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const init = { method: 'PUT', body: bytes, headers: keyHeaders(object) };
    await this.#send(object.name, init, (answer) => answer.text());
  }

  async copy(from: StoredObject, to: StoredObject): Promise<void> {
    const { bucket, prefix } = this.#settings;
    const headers = {
      'x-amz-copy-source': `/${bucket}/${encodeURI(prefix + from.name)}`,
      ...keyHeaders(from, 'copy-source-'),
      ...keyHeaders(to),
    };
    const text = await this.#send(to.name, { method: 'PUT', headers }, (answer) => answer.text());
    // A copy that fails late answers 200 with an error.
    if (!text.includes('<CopyObjectResult'))
      this.#fail(new Error(`the object store did not copy "${from.name}": ${text.slice(0, 500)}`));
  }

  async remove(name: string): Promise<void> {
    await this.#send(name, { method: 'DELETE' }, (answer) => answer.text(), [NOT_FOUND]);
  }

  /** Where, and with which headers, a client without credentials sends an object of exactly `bytes` bytes with `PUT`. */
  async uploadUrl(object: StoredObject, bytes: number): Promise<SignedUpload> {
    const url = `${this.#url(object.name)}?X-Amz-Expires=${SIGNED_SEC}`;
    const headers = keyHeaders(object);
    const init = { method: 'PUT', headers: { 'Content-Length': String(bytes), ...headers } };
    const aws = { signQuery: true, allHeaders: true };
    return { url: (await this.#client.sign(url, { ...init, aws })).url, headers };
  }

  async *#pages(prefix: string, delimiter: string): AsyncGenerator<ListPage> {
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix: this.#settings.prefix + prefix });
      if (delimiter !== '') query.set('delimiter', delimiter);
      if (token !== undefined) query.set('continuation-token', token);
      const text = await this.#send('', { query: `?${query}` }, (answer) => answer.text());
      const page = (xml.parse(text) as { readonly ListBucketResult?: ListPage | '' }).ListBucketResult;
      if (page === undefined)
        return this.#fail(new Error('the object store answered with something that is no list'));
      if (page !== '') yield page;
      token = page === '' ? undefined : page.NextContinuationToken;
    } while (token !== undefined);
  }

  async #send<Read>(
    key: string,
    { query = '', ...init }: RequestInit & { readonly query?: string },
    read: (answer: Response) => Promise<Read>,
    alsoFine: readonly number[] = [],
  ): Promise<Read> {
    const leave = await this.#limit.enter();
    try {
      const options = { ...init, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) } as const;
      const answer = await this.#client.fetch(`${this.#url(key)}${query}`, options);
      if (answer.ok || alsoFine.includes(answer.status)) return await read(answer);
      const text = withoutKeys(await answer.text(), init.headers as Record<string, string> | undefined);
      throw new Error(`the object store answered ${answer.status} for "${key}": ${text.slice(0, 500)}`);
    } catch (error) {
      return this.#fail(error);
    } finally {
      leave();
    }
  }

  #url(key: string): string {
    const { endpoint, bucket, prefix } = this.#settings;
    return key === '' ? `${endpoint}/${bucket}` : `${endpoint}/${bucket}/${prefix}${key}`;
  }

  #below(prefix: string, key: string): string {
    return key.slice(this.#settings.prefix.length + prefix.length);
  }

  #fail(problem: unknown): never {
    this.#onProblem(problem);
    throw refuse(
      'unavailable',
      'the object store of this hub does not answer as it should; ask its operator',
    );
  }
}

/** Some stores repeat the signed headers of a request that they refuse, and this text goes to the log. */
function withoutKeys(text: string, headers: Readonly<Record<string, string>> = {}): string {
  const keys = Object.entries(headers).filter(([name]) => name.endsWith('-customer-key'));
  return keys.reduce((left, [, key]) => left.replaceAll(key, '***'), text);
}
