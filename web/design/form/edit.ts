/** An object as it is saved: its version, and its content as a form shows it. */
export interface Saved<Content> {
  readonly version: number;
  readonly content: Content;
}

/** Unsaved content, and the version that its changes began with. */
export interface Edit<Content> {
  readonly base: Saved<Content>;
  readonly content: Content;
}

interface ShownEdit<Content> extends Edit<Content> {
  readonly isChanged: boolean;
  /** Another save has made a newer version than the one that the changes began with. */
  readonly isOutdated: boolean;
}

/** What a form shows of an object that others may save at any time: the newest version, until the person has changed something. */
export function shownEdit<Content>(
  edit: Edit<Content> | undefined,
  newest: Saved<Content>,
): ShownEdit<Content> {
  if (edit === undefined || isSame(edit.content, edit.base.content) || isSame(edit.content, newest.content))
    return { base: newest, content: newest.content, isChanged: false, isOutdated: false };
  return { ...edit, isChanged: true, isOutdated: newest.version !== edit.base.version };
}

/** The same changes on another version: the changed fields stay, and all others are those of that version. */
export function rebased<Content extends object>(
  { base, content }: Edit<Content>,
  onto: Saved<Content>,
): Edit<Content> {
  return { base: onto, content: { ...onto.content, ...pick(content, changedFields(base.content, content)) } };
}

/** The fields that the person and the newer version have both changed, each in another way. */
export function fieldsInConflict<Content extends object>(
  { base, content }: Edit<Content>,
  newest: Saved<Content>,
): readonly (keyof Content)[] {
  const theirs = new Set(changedFields(base.content, newest.content));
  return changedFields(base.content, content).filter(
    (field) => theirs.has(field) && !isSame(content[field], newest.content[field]),
  );
}

/**
 * What is left to save after a save of the same person has made `now` of version `before`.
 *
 * @param sent the content that was saved; undefined: the save was not one of the form
 */
export function afterSave<Content extends object>(
  edit: Edit<Content> | undefined,
  { before, now, sent }: { readonly before: number; readonly now: Saved<Content>; readonly sent?: Content },
): Edit<Content> | undefined {
  if (edit === undefined) return undefined;
  // The person went on typing while the save was under way.
  if (sent !== undefined)
    return isSame(edit.content, sent)
      ? undefined
      : rebased({ base: { version: before, content: sent }, content: edit.content }, now);
  return edit.base.version === before ? rebased(edit, now) : edit;
}

/** An edit that was stored as JSON, which has no undefined fields. Fields that are new since then are those of `newest`. */
export function restoredEdit<Content extends object>(
  { base, content }: Edit<Content>,
  newest: Content,
): Edit<Content> {
  const whole = (one: Content, other: Content) =>
    Object.fromEntries(
      Object.entries(newest).map(([field, value]) => [
        field,
        Object.hasOwn(one, field) || Object.hasOwn(other, field) ? one[field as keyof Content] : value,
      ]),
    ) as Content;
  return {
    base: { version: base.version, content: whole(base.content, content) },
    content: whole(content, base.content),
  };
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function changedFields<Content extends object>(before: Content, after: Content): (keyof Content)[] {
  return (Object.keys(after) as (keyof Content)[]).filter((field) => !isSame(before[field], after[field]));
}

function pick<Content extends object>(
  content: Content,
  fields: readonly (keyof Content)[],
): Partial<Content> {
  return Object.fromEntries(fields.map((field) => [field, content[field]])) as Partial<Content>;
}
