import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { look } from './look.ts';
import { shadowOf } from './shadow.ts';

interface Props {
  label: string;
  before: string;
  after: string;
}

/** Two texts as one: what was taken out, what was put in, and a few lines around. */
export function DiffView({ label, before, after }: Props) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = shadowOf(host.current);
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          yaml(),
          look,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3 } }),
        ],
      }),
    });
    return () => editor.destroy();
  }, [label, before, after]);
  return <div className="code-editor" ref={host} />;
}
