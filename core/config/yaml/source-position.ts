import type { CST, Scalar } from 'yaml';
import { traceBlockScalar } from './trace-block-scalar.ts';
import { traceFlowScalar } from './trace-flow-scalar.ts';

/**
 * Makes the look-up from a character of a scalar's text to its offset in the file, whatever the style; of an escape, its backslash.
 *
 * The traces read styles a second time, beside the library; where they should ever disagree with it, the start of the scalar.
 */
export function sourceOffsets(scalar: Scalar): (offset: number) => number {
  const token = scalar.srcToken;
  const text = scalar.source ?? '';
  if (!token || !isScalarToken(token)) return () => scalar.range?.[0] ?? 0;
  const offsets =
    token.type === 'block-scalar' ? traceBlockScalar(token, text) : traceFlowScalar(token, text);
  return (offset) => offsets?.[Math.min(Math.max(offset, 0), text.length)] ?? token.offset;
}

function isScalarToken(token: CST.Token): token is CST.FlowScalar | CST.BlockScalar {
  return token.type === 'scalar' || token.type.endsWith('-scalar');
}
