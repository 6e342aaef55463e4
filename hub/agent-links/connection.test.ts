import { expect, test } from 'bun:test';
import { Connection } from './connection.ts';

/** An agent, and the types of the frames sent to it, with the number of each pong. */
function connected() {
  const sent: string[] = [];
  const wire = {
    send(frame: string) {
      const { type, n } = JSON.parse(frame) as { type: string; n?: number };
      sent.push(n === undefined ? type : `${type} ${n}`);
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
  connection.answerPing(0);
  expect(sent).toEqual(['pong 0']);
  connection.isLeaving = true;
  connection.answerPing(0);
  expect(sent).toEqual(['pong 0']);
  // The heartbeat goes on: two intervals without an answer would end the connection.
  connection.answerPing(1);
  connection.answerPing(2);
  expect(sent).toEqual(['pong 0', 'pong 1', 'pong 2']);
  release();
  connection.send('{"type":"run"}');
  await settled();
  expect(sent).toEqual(['pong 0', 'pong 1', 'pong 2', 'run', 'pong 0']);
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
