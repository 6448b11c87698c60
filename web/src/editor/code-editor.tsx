import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { look } from './look.ts';
import { completePolicy } from './policy-schema.ts';
import { shadowOf } from './shadow.ts';

/** Something wrong in the text; lines and columns count from 1. */
export interface Mark {
  line: number;
  column: number;
  severity: 'error' | 'warning';
  message: string;
}

interface Props {
  /** What is edited, for who cannot see it. */
  label: string;
  text: string;
  marks: readonly Mark[];
  isReadOnly: boolean;
  /** Where to go, when it is another object than before. */
  target: { line: number; column: number } | undefined;
  onChange: (text: string) => void;
}

const EXTENSIONS: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  history(),
  indentOnInput(),
  yaml(),
  autocompletion({ override: [completePolicy], icons: false }),
  lintGutter(),
  // Tab stays with the page, so that who uses a keyboard gets out again.
  keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
  look,
];

/** An editor of a policy file. `text` is what it starts with: another file needs another `key`. */
export function CodeEditor({ label, text, marks, isReadOnly, target, onChange }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  const start = useRef(text);

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = shadowOf(host.current);
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: start.current,
        extensions: [
          EXTENSIONS,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (!docChanged) return;
            start.current = state.doc.toString();
            latest.current(start.current);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = undefined;
      editor.destroy();
    };
  }, [label, isReadOnly]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(marks, editor.state.doc)));
  }, [marks]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || target === undefined) return;
    editor.dispatch({ selection: { anchor: offsetOf(editor.state.doc, target) }, scrollIntoView: true });
    editor.focus();
  }, [target]);

  return <div className="code-editor" ref={host} />;
}

/** The text may have changed since the faults were found: what is behind its end is taken to its end. */
function offsetOf(doc: Text, { line, column }: { line: number; column: number }): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(to, from + Math.max(0, column - 1));
}

function diagnosticsOf(marks: readonly Mark[], doc: Text): Diagnostic[] {
  return marks.map((mark) => {
    const from = offsetOf(doc, mark);
    const rest = doc.lineAt(from).to - from;
    const word = /^[^\s,{}[\]]*/.exec(doc.sliceString(from, from + rest))?.[0].length ?? 0;
    return { from, to: from + word, severity: mark.severity, message: mark.message };
  });
}
