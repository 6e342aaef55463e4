import pino, { type Logger } from 'pino';

/** Tokens of every kind, and the paths of links that contain tokens, anywhere in a log entry. */
const SECRETS =
  /svc_(?:sk|at|rt|pat)_[0-9A-Za-z]+|(?<=\/(?:login|join|approve)\/)[A-Za-z0-9_-]{20,}|(?<=[?&]token=)[0-9a-f]{64}/g;

/** A logger of structured lines on stderr. It removes everything that looks like a secret. */
export function createLogger(
  level: string,
  destination: { write(line: string): void } = process.stderr,
): Logger {
  return pino(
    { level, base: null },
    { write: (line) => destination.write(line.replaceAll(SECRETS, '[redacted]')) },
  );
}
