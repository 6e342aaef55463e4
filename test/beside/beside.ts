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

/** `test`, for cases that make no sense beside a hub of another version. */
export function unlessBeside(reason: string): TestOf {
  return testUnless(OTHER_VERSION !== undefined, reason);
}

/** `test`, for cases that need what hubs do since a migration, such as `0043`. */
export function unlessOlder(since: string, reason: string): TestOf {
  return testUnless(isBesideOlder(since), reason);
}

/** Whether the other hubs are of a version that does not know this migration. */
export function isBesideOlder(since: string): boolean {
  return OTHER_VERSION !== undefined && OTHER_VERSION.lastMigration < since;
}

/** The output names the tests that are left out, and why. */
export function leaveOut(name: string, reason: string): void {
  console.log(`"${name}" is left out: ${reason}`);
}

type TestOf = (name: string, run: () => Promise<void>) => void;

function testUnless(isLeftOut: boolean, reason: string): TestOf {
  return (name, run) => {
    if (isLeftOut) leaveOut(name, reason);
    else test(name, run);
  };
}
