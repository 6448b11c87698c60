import { syntaxTree } from '@codemirror/language';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** What a part of a YAML text is, as a class that `look` colours. */
const CLASSES: Record<string, string> = {
  Key: 'yaml-name',
  QuotedLiteral: 'yaml-text',
  BlockLiteralContent: 'yaml-text',
  Comment: 'yaml-comment',
};
const MARKS = new Map(Object.entries(CLASSES).map(([node, name]) => [node, Decoration.mark({ class: name })]));

function marksOf(view: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = MARKS.get(node.name);
        if (mark === undefined) return true;
        marks.add(node.from, node.to, mark);
        return false;
      },
    });
  }
  return marks.finish();
}

export const yamlHighlight: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marksOf(view);
    }

    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = marksOf(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
