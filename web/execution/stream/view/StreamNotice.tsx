import { classes } from '../../../design/classes.ts';
import type { ExecutionStream } from '../execution-stream.ts';
import { streamNotice } from '../stream-notice.ts';

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
  const { text, tone } = streamNotice(stream);
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
