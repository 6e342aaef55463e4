import pg from 'pg';

/** The SQLSTATE classes of wrong statements. They do not depend on the state of the server. */
const BUG_CLASSES = new Set(['0A', '21', '22', '23', '42', '44']);
/** The exceptions: missing rights and tables, which an operator may have removed. */
const OPERATOR_ERRORS = new Set(['42501', '42P01']);

const UNIQUE_VIOLATION = '23505';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const READ_ONLY_TRANSACTION = '25006';
const IN_FAILED_TRANSACTION = '25P02';

/** True for a bug in a statement; false for an external failure, such as a server that is gone. */
export function isBug(error: unknown): boolean {
  const code = stateOf(error);
  return code !== undefined && BUG_CLASSES.has(code.slice(0, 2)) && !OPERATOR_ERRORS.has(code);
}

export function isTaken(error: unknown): boolean {
  return stateOf(error) === UNIQUE_VIOLATION;
}

/** True for an error that only follows from an earlier error in its transaction. */
export function isConsequence(error: unknown): boolean {
  return stateOf(error) === IN_FAILED_TRANSACTION;
}

/** Two transactions were in conflict and this one was aborted. It may succeed when it is repeated. */
export function isCollision(error: unknown): boolean {
  const code = stateOf(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

/** The session may date from before the server became writable again, or belong to a server that was replaced. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === READ_ONLY_TRANSACTION;
}

/** True when the server did not answer at all, so that the connection cannot be used any more. */
export function isDisconnect(error: unknown): boolean {
  const code = stateOf(error);
  return code === undefined || code.startsWith('08') || code.startsWith('57P');
}

function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
