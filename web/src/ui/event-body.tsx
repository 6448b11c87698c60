import { useMemo } from 'react';
import { eventTexts, prettyJson } from '../text/event-text.ts';
import { LongText } from './long-text.tsx';
import { Plain } from './plain.tsx';

interface Props {
  body: string;
  spans: readonly { pointer: string; start: number; end: number }[];
}

/** What an event carries, text by text, with what was found in it marked; and the whole of it as it was sent. */
export function EventBody({ body, spans }: Props) {
  const read = useMemo(() => eventTexts(body), [body]);
  if (body === '') return <p className="muted">Too large to be shown beside the others.</p>;
  return (
    <div className="event-body">
      {read?.texts.map(({ pointer, label, text }) => (
        <div key={pointer} className="event-text">
          <p className="label">
            <Plain text={label} />
          </p>
          <LongText text={text} marks={spans.filter((span) => span.pointer === pointer)} />
        </div>
      ))}
      {read?.isCut === true && <p className="muted">There is more: see the event as it was sent.</p>}
      <Raw body={body} isOpen={read === undefined} />
    </div>
  );
}

function Raw({ body, isOpen }: { body: string; isOpen: boolean }) {
  return (
    <details open={isOpen}>
      <summary>The event as it was sent</summary>
      <LongText text={prettyJson(body)} />
    </details>
  );
}
