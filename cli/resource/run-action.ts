import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { writeRows } from '../terminal.ts';
import type { AnyAction, Printed } from './action.ts';

/** Runs an action of a resource as a member, and prints its outcome. */
export async function runAction(
  action: AnyAction,
  input: Record<string, unknown>,
  options: ServiceOptions,
): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const printed = await orFail(Promise.resolve(action.run(api, input as never)));
  await orFail(print(printed, options.json === true));
}

async function print(printed: Printed, json: boolean): Promise<void> {
  if (printed.kind === 'list') return await printList(printed, json);
  if (json) process.stdout.write(`${JSON.stringify(printed.item)}\n`);
  else if (printed.kind === 'item') writeRows(process.stdout, printed.rows);
  else if (printed.kind === 'text') process.stdout.write(printed.printedText);
  else {
    process.stdout.write(`${printed.secret}\n`);
    if (process.stdout.isTTY) process.stderr.write('This is shown only once.\n');
  }
}

async function printList(list: Extract<Printed, { kind: 'list' }>, json: boolean): Promise<void> {
  const items: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await list.page(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && items.length < list.limit);
  const wanted = items.slice(0, list.limit);
  if (json) for (const item of wanted) process.stdout.write(`${JSON.stringify(item)}\n`);
  else if (wanted.length === 0) process.stderr.write(`${list.none}\n`);
  else
    writeRows(
      process.stdout,
      wanted.flatMap((item) => list.rows(item as never)),
    );
}
