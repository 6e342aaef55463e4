import { StreamLanguage } from '@codemirror/language';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { simpleMode } from '@codemirror/legacy-modes/mode/simple-mode';
import type { Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/** A placeholder of an argument, or a managed secret. */
const PLACES = new MatchDecorator({
  regexp: /\{\{[A-Za-z_][A-Za-z0-9_-]*\}\}|\$svc:[A-Za-z_][A-Za-z0-9_]*/g,
  decoration: ([text]) => Decoration.mark({ class: text.startsWith('$') ? 'cm-secret' : 'cm-argument' }),
});

class Marks {
  marks: DecorationSet;

  constructor(view: EditorView) {
    this.marks = PLACES.createDeco(view);
  }

  update(update: ViewUpdate): void {
    this.marks = PLACES.updateDeco(update, this.marks);
  }
}

const MARKS = ViewPlugin.fromClass(Marks, { decorations: ({ marks }) => marks });

const MARKS_THEME = EditorView.theme({
  // The marks of arguments and secrets lie around the colours of the shell.
  '.cm-argument, .cm-argument *': { color: 'var(--accent)' },
  '.cm-argument': { backgroundColor: 'var(--accent-wash)', borderRadius: '4px' },
  '.cm-secret, .cm-secret *': { color: 'var(--waiting)' },
  '.cm-secret': { backgroundColor: 'var(--waiting-wash)', borderRadius: '4px' },
});

/** A text in a string with `\(…)` is one colour. */
const JQ = simpleMode({
  start: [
    { regex: /#.*/, token: 'comment' },
    { regex: /"(?:[^"\\]|\\.)*"?/, token: 'string' },
    { regex: /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, token: 'number' },
    { regex: /\.[A-Za-z_]\w*/, token: 'propertyName' },
    { regex: /\$?[A-Za-z_]\w*/, token: ([word]) => jqToken(word ?? '') },
  ],
});

const JQ_VALUES = ['true', 'false', 'null'];
const JQ_KEYWORDS = [
  ...['if', 'then', 'elif', 'else', 'end', 'as', 'def', 'reduce', 'foreach'],
  ...['try', 'catch', 'label', 'and', 'or', 'not'],
];

function jqToken(word: string): string | null {
  if (JQ_VALUES.includes(word)) return 'bool';
  return JQ_KEYWORDS.includes(word) ? 'keyword' : null;
}

const REGEX = simpleMode({
  start: [
    { regex: /\\./, token: 'string' },
    { regex: /\[\^?\]?(?:[^\]\\]|\\.)*\]?/, token: 'string' },
    { regex: /\(\?P?<\w*>?/, token: 'propertyName' },
    { regex: /\(\?[a-zA-Z-]*:?|[()|]/, token: 'keyword' },
    { regex: /[*+?]|\{\d*,?\d*\}/, token: 'number' },
  ],
});

/** What an editor needs for each language; the shell marks the arguments and managed secrets of a command. */
export const LANGUAGES = {
  command: [StreamLanguage.define(shell), MARKS, MARKS_THEME],
  jq: StreamLanguage.define(JQ),
  regex: StreamLanguage.define(REGEX),
} as const satisfies Record<string, Extension>;

export type CodeLanguage = keyof typeof LANGUAGES;
