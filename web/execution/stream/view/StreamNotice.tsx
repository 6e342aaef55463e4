import { classes } from '../../../design/classes.ts';
import { grouped } from '../../../design/text/grouped.ts';
import type { ExecutionStream } from '../execution-stream.ts';
import type { LineLog } from '../line-log.ts';

interface StreamNoticeProps {
  readonly stream: ExecutionStream;
  /** The lines in the address of the page. */
  readonly link: string | undefined;
  /** Time stamps are on, and the execution has none. */
  readonly hasNoTimes: boolean;
  readonly isHidden: boolean;
}

/** The line below the output: the state of the stream, or the end of the execution. */
export function StreamNotice({ stream, link, hasNoTimes, isHidden }: StreamNoticeProps) {
  const { text, tone } = noticeOf(stream);
  return (
    <p
      role="status"
      className={classes(
        'flex min-h-7 flex-wrap justify-between gap-x-4 border-t border-line bg-paper px-3 py-1 text-sm',
        tone,
        isHidden && 'invisible',
      )}
    >
      <span>
        {text}
        {hasNoTimes && ' No times were recorded for this output.'}
        {stream.earlier === 'loading' && ' Loading earlier lines…'}
        {stream.earlier === 'failed' && (
          <span className="text-bad">
            {' Earlier lines could not be loaded. '}
            <button type="button" className="underline" onClick={() => void stream.loadFrom(0)}>
              Load again
            </button>
          </span>
        )}
      </span>
      {link !== undefined && <span className="text-soft">Linked: {link} (in the address bar)</span>}
    </p>
  );
}

function noticeOf({ phase, result, log }: ExecutionStream): { readonly text: string; readonly tone: string } {
  const gone = log.start > 0 ? ` The first ${grouped(log.start)} lines are no longer shown.` : '';
  if (result.end?.kind === 'error') return { text: `${result.end.error}${gone}`, tone: 'text-bad' };
  if (result.end?.kind === 'done')
    return {
      text: `${endText(log, result.end.exitCode)}${gone}`,
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
      return { text: `End of output.${gone}`, tone: 'text-soft' };
    case 'refused':
      return {
        text: `Cannot read the stream (${phase.status}): the execution no longer exists, or you have no access.`,
        tone: 'text-bad',
      };
  }
}

function endText({ end, cutLines }: LineLog, exitCode: number): string {
  const output =
    end === 0 ? 'No output' : cutLines > 0 ? 'End of output, which is cut in the middle' : 'End of output';
  return `${output}; exit code ${exitCode}.`;
}

function interruptionText(interruption: string | undefined, retryMs: number): string {
  const why = interruption ?? 'Connection lost; the execution continues';
  return `${why}. Reconnecting in ${Math.max(Math.round(retryMs / 1000), 1)} s…`;
}
