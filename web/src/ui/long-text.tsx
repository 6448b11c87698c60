import { useState } from 'react';
import { foldedPart } from '../text/event-text.ts';
import { count } from '../text/format.ts';
import { Plain } from './plain.tsx';

interface Props {
  text: string;
  marks?: readonly { start: number; end: number }[];
}

/** A text that may be long: folded until it is asked for. */
export function LongText({ text, marks = [] }: Props) {
  const [isOpen, setOpen] = useState(false);
  const part = foldedPart(text, Math.min(...marks.map(({ start }) => start), text.length));
  const { start, end } = part === undefined || isOpen ? { start: 0, end: text.length } : part;
  const shifted = marks.map((mark) => ({ start: mark.start - start, end: mark.end - start }));
  return (
    <div className="long-text">
      <pre dir="ltr">
        {start > 0 && <span className="ellipsis">… </span>}
        <Plain text={text.slice(start, end)} marks={shifted} />
        {end < text.length && <span className="ellipsis"> …</span>}
      </pre>
      {part !== undefined && (
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fold' : `Show all ${count(text.length)} characters`}
        </button>
      )}
    </div>
  );
}
