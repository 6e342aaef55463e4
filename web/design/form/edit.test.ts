import { describe, expect, test } from 'bun:test';
import { afterSave, fieldsInConflict, rebased, restoredEdit, type Saved, shownEdit } from './edit.ts';

interface Form {
  readonly command: string;
  readonly timeout: string;
  readonly approval: string | undefined;
}

const FIRST: Saved<Form> = { version: 1, content: { command: 'a', timeout: '5', approval: undefined } };
const SECOND: Saved<Form> = { version: 2, content: { ...FIRST.content, timeout: '9' } };
const MINE: Form = { ...FIRST.content, command: 'mine' };

describe('a form of an object that others save', () => {
  test('follows the newest version while nothing is changed', () => {
    expect(shownEdit(undefined, SECOND)).toMatchObject({ base: SECOND, isChanged: false });
    const undone = { base: FIRST, content: { ...FIRST.content } };
    expect(shownEdit(undone, SECOND)).toMatchObject({ base: SECOND, content: SECOND.content });
  });

  test('keeps its changes and the version that they began with', () => {
    const edit = { base: FIRST, content: MINE };
    expect(shownEdit(edit, FIRST)).toMatchObject({ content: MINE, isChanged: true, isOutdated: false });
    expect(shownEdit(edit, SECOND)).toMatchObject({ base: FIRST, content: MINE, isOutdated: true });
  });

  test('has nothing to save when someone has saved the same', () => {
    const edit = { base: FIRST, content: MINE };
    const newest = { version: 2, content: { ...MINE } };
    expect(shownEdit(edit, newest)).toMatchObject({ base: newest, isChanged: false, isOutdated: false });
  });

  test('applies only the changed fields to the newer version', () => {
    const edit = rebased({ base: FIRST, content: MINE }, SECOND);
    expect(edit).toEqual({ base: SECOND, content: { ...MINE, timeout: '9' } });
    const withoutApproval = { ...FIRST, content: { ...FIRST.content, approval: 'passkey' } };
    expect(rebased({ base: withoutApproval, content: FIRST.content }, withoutApproval).content).toEqual(
      FIRST.content,
    );
  });

  test('names the fields that both have changed', () => {
    const edit = { base: FIRST, content: { ...MINE, timeout: '7' } };
    expect(fieldsInConflict(edit, SECOND)).toEqual(['timeout']);
    expect(fieldsInConflict({ base: FIRST, content: { ...MINE, timeout: '9' } }, SECOND)).toEqual([]);
  });

  test('keeps after a save what was typed while it was under way', () => {
    const now = { version: 2, content: MINE };
    const saved = { before: 1, now, sent: MINE };
    expect(afterSave({ base: FIRST, content: MINE }, saved)).toBeUndefined();
    expect(afterSave({ base: FIRST, content: { ...MINE, timeout: '6' } }, saved)).toEqual({
      base: now,
      content: { ...MINE, timeout: '6' },
    });
  });

  test('goes on with the new version after another save of the same person, unless it was outdated before', () => {
    const edit = { base: FIRST, content: MINE };
    expect(afterSave(edit, { before: 1, now: SECOND })?.base).toBe(SECOND);
    const third = { ...SECOND, version: 3 };
    expect(afterSave(edit, { before: 2, now: third })).toBe(edit);
  });

  test('is restored from JSON with the fields that were cleared, and with new ones', () => {
    const base = { version: 1, content: { ...FIRST.content, approval: 'passkey' } };
    const stored = JSON.parse(JSON.stringify({ base, content: FIRST.content }));
    expect(restoredEdit<Form>(stored, base.content)).toEqual({ base, content: FIRST.content });
    const { timeout: _, ...older } = FIRST.content;
    const before = { base: { version: 1, content: older as Form }, content: older as Form };
    expect(restoredEdit<Form>(before, SECOND.content).content.timeout).toBe('9');
  });
});
