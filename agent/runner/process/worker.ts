import { shortageOf } from '@svc/core/shortage';
import type { Launch } from '../runner.ts';
import type { InputOrder, Order, ReadyLaunch, WorkerMessage, WrittenLaunch } from './protocol.ts';
import { superviseProcess } from './supervise.ts';
import { WorkerLink } from './worker-link.ts';

declare const self: Worker;

/** Reads launches, and stores each inherited environment for later ones. */
class LaunchReader {
  readonly #inherited: Launch['inherited'][] = [];

  read({ launch, inherited, newInherited }: WrittenLaunch): ReadyLaunch {
    if (newInherited !== undefined) this.#inherited[inherited] = newInherited;
    return { ...launch, env: { ...this.#inherited[inherited], ...launch.env } };
  }
}

/** The entry of a spawning thread, which only starts and supervises commands. */
const commands = new Map<number, WorkerLink>();
const launches = new LaunchReader();

self.onmessage = ({ data }: MessageEvent<string | InputOrder>) => {
  if (typeof data === 'string') obey(JSON.parse(data) as Order);
  else commands.get(data.id)?.input.receive({ kind: 'bytes', bytes: data.bytes });
};

function obey(order: Order): void {
  if (order.kind === 'start') {
    void run(order);
    return;
  }
  // An order for a command that has just ended is late, not wrong.
  const command = commands.get(order.id);
  if (command === undefined) return;
  switch (order.kind) {
    case 'cancel':
      command.cancel();
      break;
    case 'credit':
      command.credit(order.bytes);
      break;
    case 'transformed':
      command.transformed(order.givesOutput);
      break;
    case 'input':
      command.input.receive(order.piece);
      break;
  }
}

async function run({ id, launch, graces }: Extract<Order, { kind: 'start' }>): Promise<void> {
  const link = new WorkerLink(id, report);
  commands.set(id, link);
  try {
    const others = commands.size - 1;
    link.ended(
      await superviseProcess(launches.read(launch), {
        ...{ graces, link, input: link.input, cancel: link.cancelled, others },
      }),
    );
  } catch (error) {
    const message = `the output of the command could not be read: ${messageOf(error)}`;
    const shortage = shortageOf(error);
    link.ended({ kind: 'lost', message, ...(shortage === undefined ? {} : { shortage }) });
  } finally {
    commands.delete(id);
  }
}

function report(message: WorkerMessage, transfer: Transferable[]): void {
  self.postMessage(message, transfer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
