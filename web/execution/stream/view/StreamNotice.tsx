import type { ExecutionStream } from '../execution-stream.ts';

interface StreamNoticeProps {
  readonly stream: ExecutionStream;
  /** The lines that the address of the page points to. */
  readonly link: string | undefined;
}

/** One line under the output: how it goes on, or how it ended. */
export function StreamNotice({ stream, link }: StreamNoticeProps) {
  const { text, tone } = noticeOf(stream);
  return (
    <p
      role="status"
      className={`flex min-h-7 flex-wrap justify-between gap-x-4 border-t border-line px-3 py-1 text-sm ${tone}`}
    >
      <span>{text}</span>
      {link !== undefined && <span className="text-soft">Linked: {link}, in the address of this page</span>}
    </p>
  );
}

function noticeOf({ phase, result, log }: ExecutionStream): { readonly text: string; readonly tone: string } {
  const gone = log.first > 0 ? ` The first ${log.first.toLocaleString('en')} lines are not kept here.` : '';
  if (result.end?.kind === 'error') return { text: `${result.end.error}${gone}`, tone: 'text-bad' };
  if (result.end?.kind === 'done')
    return {
      text: `${endText(log.end, result.end.exitCode)}${gone}`,
      tone: result.end.exitCode === 0 ? 'text-soft' : 'text-bad',
    };
  switch (phase.kind) {
    case 'connecting':
      return { text: 'Connecting to the stream…', tone: 'text-soft' };
    case 'live':
      return { text: log.end === 0 ? 'Nothing printed yet.' : `Live.${gone}`, tone: 'text-soft' };
    case 'waiting':
      return { text: interruptionText(result.interruption, phase.retryMs), tone: 'text-waiting' };
    case 'ended':
      return { text: `That is all of it.${gone}`, tone: 'text-soft' };
    case 'refused':
      return {
        text: `The stream cannot be read (${phase.status}): the execution is gone, or you may not see it.`,
        tone: 'text-bad',
      };
  }
}

function endText(lines: number, exitCode: number): string {
  return `${lines === 0 ? 'It printed nothing' : 'End of output'}; exit code ${exitCode}.`;
}

function interruptionText(interruption: string | undefined, retryMs: number): string {
  const why = interruption ?? 'The connection broke; the execution goes on';
  return `${why}. Reading on in ${Math.max(Math.round(retryMs / 1000), 1)} s…`;
}
