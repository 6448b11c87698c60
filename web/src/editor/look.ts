import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { yamlHighlight } from './highlight.ts';

/** The editor in the colours of the dashboard, which follow its theme by themselves. */

const frame = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    maxHeight: '70vh',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '12.5px', lineHeight: '1.5', overflow: 'auto' },
  '.yaml-name': { color: 'var(--accent)' },
  '.yaml-text': { color: 'var(--good)' },
  '.yaml-comment': { color: 'var(--muted)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--control)',
    borderRadius: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--mark)',
  },
  '.cm-completionInfo': { maxWidth: '320px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  // Those that come with the package are images in data: URLs, which the content security policy does not allow.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-lint-marker-error': { content: 'normal', borderRadius: '50%', backgroundColor: 'var(--bad)', scale: '0.7' },
  '.cm-lint-marker-warning': {
    content: 'normal',
    clipPath: 'polygon(50% 10%, 95% 90%, 5% 90%)',
    backgroundColor: 'var(--warn)',
  },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--sunken)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-soft)' },
  '.cm-deletedChunk, .cm-deletedChunk .cm-deletedLine': { backgroundColor: 'var(--bad-soft)' },
  '.cm-changedText, &.cm-merge-b .cm-changedText': { background: 'none', textDecoration: 'none', fontWeight: '700' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none', fontWeight: '700' },
  '.cm-collapsedLines': {
    color: 'var(--accent)',
    background: 'var(--sunken)',
    padding: '4px 8px',
  },
});

export const look: Extension = [frame, yamlHighlight];
