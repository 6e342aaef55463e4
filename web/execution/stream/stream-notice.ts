import { grouped } from '../../design/text/grouped.ts';
import type { ExecutionStream } from './execution-stream.ts';
import type { LineLog } from './line-log.ts';

type NoticedStream = Pick<ExecutionStream, 'phase' | 'result'> & {
  readonly log: Pick<LineLog, 'start' | 'end' | 'cutLines'>;
};

/** The state of a stream or the end of its execution in words, with the lines that are missing, and the class of its colour. */
export function streamNotice({ phase, result, log }: NoticedStream): {
  readonly text: string;
  readonly tone: string;
} {
  const gone = log.start > 0 ? ` The first ${grouped(log.start)} lines are no longer shown.` : '';
  const isCut = log.cutLines > 0;
  const end = `End of output${isCut ? ', which is cut in the middle' : ''}`;
  if (result.end?.kind === 'error') {
    const cut = isCut ? ' The output is cut in the middle.' : '';
    return { text: `${sentence(result.end.error)}${cut}${gone}`, tone: 'text-bad' };
  }
  if (result.end?.kind === 'done')
    return {
      text: `${log.end === 0 ? 'No output' : end}; exit code ${result.end.exitCode}.${gone}`,
      tone: result.end.exitCode === 0 ? 'text-soft' : 'text-bad',
    };
  switch (phase.kind) {
    case 'connecting':
      return { text: 'Connecting to the stream…', tone: 'text-soft' };
    case 'live':
      return { text: log.end === 0 ? 'No output yet.' : `Live.${gone}`, tone: 'text-soft' };
    case 'waiting':
      return { text: interruptionText(result.interruption, phase.retryMs), tone: 'text-waiting' };
    case 'ended':
      return { text: `${end}.${gone}`, tone: 'text-soft' };
    case 'refused':
      return {
        text: `Cannot read the stream (${phase.status}): the execution no longer exists, or you have no access.`,
        tone: 'text-bad',
      };
  }
}

/** The messages of a hub have no period. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function interruptionText(interruption: string | undefined, retryMs: number): string {
  const why = interruption ?? 'Connection lost; the execution continues';
  return `${why}. Reconnecting in ${Math.max(Math.round(retryMs / 1000), 1)} s…`;
}
