import { yaml } from '@codemirror/lang-yaml';
import { setDiagnostics } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import type { TextProblem } from './pipeline-yaml.ts';

const THEME = EditorView.theme({
  '&': { height: '28rem' },
  // The default wave is an image in a data: URL, which the Content-Security-Policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--bad)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
});

/** What `openEditor` needs for YAML. */
export const YAML = [yaml(), THEME];

/** Underlines problems; the messages appear on hover and in the list below. */
export function showProblems(view: EditorView, problems: readonly TextProblem[]): void {
  const end = view.state.doc.length;
  const diagnostics = problems.map(({ from, to, message }) => {
    return {
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      message,
      severity: 'error' as const,
    };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}
