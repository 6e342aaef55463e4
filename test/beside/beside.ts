// Tests with hubs of two adjacent versions: SVC_TEST_BESIDE is the folder that the sources of the other one are in. With
// SVC_TEST_BESIDE_FIRST the other version is the first of several hubs instead of the second.
import { test } from 'bun:test';
import { type HubVersion, THIS_VERSION, versionIn } from './hub-version.ts';

const { SVC_TEST_BESIDE: FOLDER, SVC_TEST_BESIDE_FIRST: IS_FIRST } = process.env;

/** Undefined where all hubs are of this version. */
export const OTHER_VERSION = FOLDER === undefined ? undefined : await versionIn(FOLDER);

/** The hub with this number, from 0, among those of a database. */
export function versionAt(index: number): HubVersion {
  const isOther = index % 2 === (IS_FIRST === undefined ? 1 : 0);
  return (isOther && OTHER_VERSION) || THIS_VERSION;
}

/** `test`, for cases that make no sense beside a hub of another version. The skipped test shows the reason. */
export function unlessBeside(reason: string): (name: string, run: () => Promise<void>) => void {
  return (name, run) => {
    if (OTHER_VERSION === undefined) test(name, run);
    else console.log(`"${name}" is left out: ${reason}`);
  };
}
