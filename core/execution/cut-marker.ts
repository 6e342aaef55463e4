/** The loss of a stream in one place: bytes of its events, and lines. */
export interface CutOutput {
  readonly bytes: number;
  readonly lines: number;
}

/** The line that stands in the output for what was cut; undefined: its size is unknown. */
export function cutMarker(cut: CutOutput | undefined): string {
  if (cut === undefined) return '[svc: a part of the stream cut here, over the limit]';
  return `[svc: ${cut.bytes} bytes of the stream cut here (${cut.lines} lines), over the limit]`;
}

const MARKER =
  /^\[svc: (?:a part|(\d{1,15}) bytes) of the stream cut here(?: \((\d{1,15}) lines\))?, over the limit\]$/;

/** Reads a marker; undefined for every other line. Without its size, as before lines were counted, `lines` is 0. */
export function readCutMarker(line: string): CutOutput | undefined {
  const [text, bytes = '0', lines = '0'] = MARKER.exec(line) ?? [];
  return text === undefined ? undefined : { bytes: Number(bytes), lines: Number(lines) };
}
