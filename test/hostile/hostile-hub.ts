import { ScriptedHub } from '@svc/agent/link/fixtures/scripted-hub';
import { encodeFrame } from '@svc/core/protocol/frame';
import { Dice, type HostileOrder, hostileOrder } from './hostile-orders.ts';

/** A hub that speaks the protocol, has every key that a hub has, and wants agents to run what their files do not hold. */
export class HostileHub extends ScriptedHub {
  /** Sends this many orders that an agent can read, and settles when it has dealt with each. */
  async attack(count: number, seed: number): Promise<HostileOrder[]> {
    const dice = new Dice(seed);
    const file = this.announced;
    const sent: HostileOrder[] = [];
    for (let n = 0; n < count; n += 1) {
      const hostile = hostileOrder(file, dice);
      this.record(hostile.order.execution_id);
      this.send(hostile.order);
      sent.push(hostile);
      // Every order is answered, so what is on its way stays small.
      if (n % 100 === 99) await this.answered(sent);
    }
    await this.answered(sent);
    return sent;
  }

  /** Sends what is no frame; the agent ends the connection and comes back. */
  async confuse(text: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const greetings = this.hellos.length;
    this.socket?.send(text);
    await this.greeted(greetings + 1);
  }

  async answered(sent: readonly HostileOrder[]): Promise<void> {
    for (const { order } of sent) await this.ended(order.execution_id);
  }
}

/** Texts that no hub would send. */
export function nonsense(order: HostileOrder['order']): (string | Uint8Array<ArrayBuffer>)[] {
  const but = (different: object) => JSON.stringify({ ...order, ...different });
  return [
    '',
    'null',
    '[]',
    '{"type":"exec","command":"touch pwned"}',
    '['.repeat(50_000),
    but({ execution_id: '../../pwned' }),
    but({ execution_id: 7 }),
    but({ endpoint: '../x' }),
    but({ hash: 'x' }),
    but({ args: ['touch pwned'] }),
    but({ args: { who: ['-c', 'touch pwned'] } }),
    but({ env: { COLOUR: 7 } }),
    but({ env: 'COLOUR=x' }),
    but({ secrets: null }),
    but({ timeout: -1 }),
    but({ timeout: 1e12 }),
    but({ traceparent: 'x\ny' }),
    but({ approval: true }),
    but({ definition: 'touch pwned' }),
    but({ definition: nested(60) }),
    but({ mask: 'x' }),
    but({ args: { who: 'a'.repeat(5 * 1024 * 1024) } }).slice(0, 4 * 1024 * 1024),
    `${encodeFrame({ type: 'ping', n: 1 }).slice(0, -1)},"x":"${'a'.repeat(2 * 1024 * 1024)}"}`,
    new TextEncoder().encode(but({})),
    new Uint8Array([1, 2, 3]),
  ];
}

function nested(levels: number): object {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}
