import { expect } from 'bun:test';
import type { HubWorld } from './hub-world.ts';
import { linkTo, type ParsedAnswer, type Person, readAnswer, signIn } from './people.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The 202 of reference 4.5. */
interface PendingBody {
  readonly status: string;
  readonly approval_id: string;
  readonly approve_url: string;
  readonly message: string;
  readonly expires_in_mins: number;
}

export interface PendingCall extends PendingBody {
  readonly response: Response;
  readonly executionId: string;
  /** The path of its page, without the address of the hub. */
  readonly path: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Helpers for tests of pending calls at one hub. */
export class Approvals {
  readonly #world: HubWorld;

  constructor(world: HubWorld) {
    this.#world = world;
  }

  /** A call that has to be approved. */
  async callForApproval(call = 'deploy', init?: RequestInit): Promise<PendingCall> {
    const response = await this.#world.call(call, init);
    expect(response.status).toBe(202);
    const body = (await response.json()) as PendingBody;
    const path = new URL(body.approve_url).pathname;
    return { ...body, path, executionId: response.headers.get('x-execution-id') ?? '', response };
  }

  async approval(id: string, query = ''): Promise<Json> {
    return (await readAnswer(await this.#world.manage(`/approvals/${id}${query}`))).body;
  }

  async execution(id: string): Promise<Json> {
    return (await readAnswer(await this.#world.manage(`/executions/${id}`))).body;
  }

  /** As the owner, through the API. */
  async decide(id: string, decision: string, comment?: string): Promise<ParsedAnswer> {
    const body = JSON.stringify({ decision, comment });
    const init = { method: 'POST', headers: JSON_TYPE, body };
    return readAnswer(await this.#world.manage(`/approvals/${id}/decide`, init));
  }

  async page(path: string, init?: RequestInit): Promise<ParsedAnswer> {
    return readAnswer(await fetch(`${this.#world.hub.hubUrl}${path}`, init));
  }

  /** Opens the page; what comes back sends its form, as a browser does. */
  async opened(
    path: string,
    cookie?: string,
  ): Promise<(decision: string, comment?: string) => Promise<ParsedAnswer>> {
    const headers = { origin: this.#world.hub.hubUrl, ...(cookie === undefined ? {} : { cookie }) };
    const { text } = await this.page(path, { headers });
    const nonce = /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? '';
    return (decision, comment = '') => {
      const body = new URLSearchParams({ nonce, decision, comment });
      return this.page(path, { method: 'POST', headers, body });
    };
  }

  /** Somebody who was invited to the workspace and has joined it. */
  async member(email: string, role: 'admin' | 'member' = 'member'): Promise<Person> {
    const body = JSON.stringify({ email, role });
    await this.#world.manage('/team/invite', { method: 'POST', headers: JSON_TYPE, body });
    const invitation = await linkTo(this.#world, email);
    const person = await signIn(this.#world, email);
    expect((await person.ask('POST', invitation)).status).toBe(200);
    // Executions that began before the workspace was handed over continue, too.
    return person;
  }

  /** As this member, in the workspace of the owner. */
  decideAs(person: Person, id: string, decision: string): Promise<ParsedAnswer> {
    const { username } = this.#world.start;
    return person.ask('POST', `/approvals/${id}/decide`, { body: { decision }, workspace: username });
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await Bun.sleep(5);
  }
}
