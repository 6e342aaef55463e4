import { expect, test } from 'bun:test';
import { Connection } from './connection.ts';

/** An agent, and the types of the frames sent to it. */
function connected() {
  const sent: string[] = [];
  const wire = {
    send(frame: string) {
      sent.push((JSON.parse(frame) as { type: string }).type);
      return true;
    },
    close: () => {},
  };
  const process = { workspaceId: 'w', name: 'a', instance: 'i', boot: 'b', isLocalOnly: false };
  return { sent, connection: new Connection(wire, 't', process, new Map()) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an agent without reserved work is asked to move at once, and gets nothing new', () => {
  const { sent, connection } = connected();
  connection.move();
  expect([sent, connection.isLeaving]).toEqual([['move'], true]);
});

test('an agent is asked to move after its reserved work was sent', async () => {
  const { sent, connection } = connected();
  const releases = [connection.reserveSlot(), connection.reserveSlot()];
  connection.move();
  expect([sent, connection.isLeaving]).toEqual([[], true]);
  releases[0]?.();
  await settled();
  expect(sent).toEqual([]);
  // The order is sent in the turn of the event loop in which the slot is released.
  releases[1]?.();
  connection.send('{"type":"run"}');
  await settled();
  expect(sent).toEqual(['run', 'move']);
});

test('the ping of a leaving agent is answered after its reserved work was sent, others at once', async () => {
  const { sent, connection } = connected();
  const release = connection.reserveSlot();
  connection.answerPing(1);
  expect(sent).toEqual(['pong']);
  connection.isLeaving = true;
  connection.answerPing(0);
  expect(sent).toEqual(['pong']);
  release();
  connection.send('{"type":"run"}');
  await settled();
  expect(sent).toEqual(['pong', 'run', 'pong']);
});

test('releasing a slot twice counts once, and an agent is asked to move once', async () => {
  const { sent, connection } = connected();
  const [first, second] = [connection.reserveSlot(), connection.reserveSlot()];
  connection.move();
  first();
  first();
  await settled();
  expect(sent).toEqual([]);
  second();
  connection.move();
  await settled();
  expect(sent).toEqual(['move']);
});
