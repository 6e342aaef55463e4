import type { Plan } from '../plan/plans.ts';
import { ARTIFACT_LIMITS } from './limits.ts';
import type { ArtifactState, FoundArtifacts } from './upload.ts';

interface KnownFile {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly state: ArtifactState;
}

/** A file that an announcement adds; a missing one takes no room. */
export interface AddedFile extends KnownFile {
  readonly reason: string | undefined;
}

export interface UploadPlan {
  readonly added: readonly AddedFile[];
  /** Known files that will not come. */
  readonly givenUp: readonly { readonly id: number; readonly reason: string }[];
  /** Each announced file, by its place in the announcement. The id is 0 for one without a record. */
  readonly uploads: readonly { readonly file: number; readonly id: number; readonly state: ArtifactState }[];
}

const MAX_RECORDS = ARTIFACT_LIMITS.files + ARTIFACT_LIMITS.missing;

/**
 * What an announcement of files changes (decision 72, artifacts). A file that is known by its name keeps its number, and its bytes if it
 * has the same size. An execution has at most `MAX_RECORDS`; further files are missing without a record.
 *
 * @param room the bytes that the workspace may still store; negative after a change to a smaller plan
 */
export function planUploads(
  known: readonly KnownFile[],
  { files, missing }: FoundArtifacts,
  room: { readonly freeBytes: number; readonly plan: Plan },
): UploadPlan {
  const byName = new Map(known.map((one) => [one.name, one]));
  const added: AddedFile[] = [];
  const givenUp: { readonly id: number; readonly reason: string }[] = [];
  let lastId = Math.max(0, ...known.map(({ id }) => id));
  let { freeBytes } = room;
  const add = (file: Omit<AddedFile, 'id'>): KnownFile => {
    if (known.length + added.length >= MAX_RECORDS) return { ...file, id: 0, state: 'missing' };
    lastId += 1;
    const one = { id: lastId, ...file };
    added.push(one);
    byName.set(one.name, one);
    return one;
  };
  const stateOf = ({ name, size }: FoundArtifacts['files'][number]): KnownFile => {
    const before = byName.get(name);
    if (before?.state === 'uploading' && before.size !== size) {
      givenUp.push({ id: before.id, reason: 'it changed while it was sent' });
      return { ...before, state: 'missing' };
    }
    if (before !== undefined) return before;
    if (size > freeBytes)
      return add({ name, size: 0, state: 'missing', reason: `the plan ${room.plan} has no room for it` });
    const one = add({ name, size, state: 'uploading', reason: undefined });
    if (one.state === 'uploading') freeBytes -= size;
    return one;
  };
  const uploads = files.map((found, file) => {
    const { id, state } = stateOf(found);
    return { file, id, state };
  });
  for (const { name, reason } of missing)
    if (!byName.has(name)) add({ name, size: 0, state: 'missing', reason });
  return { added, givenUp, uploads };
}
