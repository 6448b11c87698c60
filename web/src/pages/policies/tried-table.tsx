import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Pages } from '../../api/use-pages.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import { Plain } from '../../ui/plain.tsx';
import { onRowKeys } from '../../ui/row-keys.ts';
import { ShowOlder } from '../../ui/show-older.tsx';
import { Answered } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import type { TriedDecision } from './tried-queries.ts';

/** What a decision would be, and why. */
export interface Changed {
  now: 'ALLOW' | 'BLOCK';
  why: string;
}

interface Props {
  caption: string;
  changeOf: (row: TriedDecision) => Changed;
  pages: Pages<TriedDecision>;
  /** How many there are: another number means that there are others to read. */
  total: number;
}

/** Decisions that would be others under policies that are only tried. */
export function TriedTable({ caption, changeOf, pages: { rows, failure, reload, readOn }, total }: Props) {
  const shown = useRef(total);
  useEffect(() => {
    if (shown.current === total) return;
    shown.current = total;
    reload();
  }, [total, reload]);
  return (
    <Answered what="decisions" answer={rows} failure={failure} retry={reload}>
      {(rows) =>
        rows.length === 0 ? (
          <p className="state">These decisions are stored no more.</p>
        ) : (
          <>
            <table className="list" onKeyDown={onRowKeys}>
              <caption>{caption}</caption>
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col">Would be</th>
                  <th scope="col">What</th>
                  <th scope="col">Why</th>
                  <th scope="col">Session</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <TriedRow key={row.id} row={row} changed={changeOf(row)} />
                ))}
              </tbody>
            </table>
            <ShowOlder read={readOn} />
          </>
        )
      }
    </Answered>
  );
}

function TriedRow({ row, changed: { now, why } }: { row: TriedDecision; changed: Changed }) {
  const { id, sessionKey, decidedAt, eventType, toolName } = row;
  return (
    <tr>
      <td className="nowrap">
        <Link href={`/decisions/${id}`} data-row>
          <Time at={decidedAt} />
        </Link>
      </td>
      <td>
        <OutcomeBadge outcome={{ kind: 'DECIDED', action: now, answered: null }} />
      </td>
      <td className="one-line">{toolName === null ? (eventType ?? '') : <Plain text={toolName} />}</td>
      <td className="one-line wide">
        <Plain text={why.slice(0, 300)} />
      </td>
      <td>
        <Link href={`/sessions/${sessionKey}`}>Session</Link>
      </td>
    </tr>
  );
}
