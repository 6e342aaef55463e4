import { NOOP_SLUG } from '../hub/noop.ts';
import type { Seeded } from '../peers/seed.ts';

/** One after another, or all side by side. */
export type Shape = 'chain' | 'wide';

/** Makes pipelines of steps that do nothing, runs them, and calls what they call. */
export class PipelineCaller {
  readonly #hubUrl: string;
  readonly #account: Seeded;

  constructor(hubUrl: string, account: Seeded) {
    this.#hubUrl = hubUrl;
    this.#account = account;
  }

  async make(shape: Shape, steps: number): Promise<void> {
    const nodes = Array.from({ length: steps }, (_, n) => ({
      id: `s${n}`,
      endpoint: NOOP_SLUG,
      ...(shape === 'chain' && n > 0 ? { needs: [`s${n - 1}`] } : {}),
    }));
    const definition = { slug: slugOf(shape, steps), trigger: { type: 'manual' }, nodes };
    const response = await fetch(`${this.#hubUrl}/pipelines`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#account.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(definition),
    });
    // 409: it exists already.
    if (response.status !== 201 && response.status !== 409)
      throw new Error(`POST /pipelines: ${response.status} ${await response.text()}`);
  }

  /** From the call to the answer that the run has ended well. */
  async runMs(shape: Shape, steps: number): Promise<number> {
    return await timed(async () => {
      const answer = await this.#call(slugOf(shape, steps));
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`a run of ${shape} ${steps}: ${answer.status} ${text}`);
    });
  }

  /** The same for this many calls of the endpoint. */
  async callsMs(calls: number): Promise<number> {
    return await timed(async () => {
      for (let n = 0; n < calls; n += 1) {
        const answer = await this.#call(NOOP_SLUG);
        if (answer.status !== 200) throw new Error(`a call: ${answer.status}`);
        await answer.arrayBuffer();
      }
    });
  }

  #call(slug: string): Promise<Response> {
    return fetch(`${this.#hubUrl}/v1/${this.#account.username}/${slug}`, {
      method: 'POST',
      headers: { 'x-api-key': this.#account.apiKey, accept: 'application/json' },
    });
  }
}

function slugOf(shape: Shape, steps: number): string {
  return `${shape}-${steps}`;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
