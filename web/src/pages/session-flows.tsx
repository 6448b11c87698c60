import { FLOWS_DRAWN_MAX, type Flow, type FlowEntry, type FlowPoint, flowsOf, pointsOf } from '../text/flows.ts';
import { Plain } from '../ui/plain.tsx';

const ROW = 34;
const LEFT = 78;
const WIDTH = 420;

/** What was seen in the session and tried to leave it: drawn, and told in words. */
export function Flows({ entries }: { entries: readonly FlowEntry[] }) {
  const flows = flowsOf(entries);
  if (flows.length === 0) return null;
  const drawn = flows.slice(0, FLOWS_DRAWN_MAX);
  const points = pointsOf(drawn, entries);
  return (
    <section className="flows" aria-labelledby="flows-title">
      <h3 id="flows-title">What tried to leave</h3>
      <Picture flows={drawn} points={points} />
      <ul className="plain-list">
        {flows.map((flow) => (
          <li key={`${flow.from} ${flow.to} ${flow.label}`}>
            <FlowText flow={flow} isFromLoaded={entries.some(({ id }) => id === flow.from)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FlowText({ flow, isFromLoaded }: { flow: Flow; isFromLoaded: boolean }) {
  const { from, fromTool, to, toTool, label, encoding, coverage } = flow;
  const origin = fromTool === '' ? 'a message of a person' : <>a result of {<Tool name={fromTool} />}</>;
  return (
    <>
      <strong>
        <Plain text={label} />
      </strong>{' '}
      first seen in {isFromLoaded ? <a href={`#entry-${from}`}>{origin}</a> : origin} would have left with{' '}
      <a href={`#entry-${to}`}>
        a call of <Tool name={toTool} />
      </a>
      : {Math.round(coverage * 100)} % of it, {encoding}
    </>
  );
}

function Tool({ name }: { name: string }) {
  return (
    <code>
      <Plain text={name} />
    </code>
  );
}

/** The events from the top to the bottom, and an arc from each place where something was seen to where it would have gone. */
function Picture({ flows, points }: { flows: readonly Flow[]; points: readonly FlowPoint[] }) {
  const rowOf = new Map(points.map(({ id }, row) => [id, row]));
  const height = points.length * ROW;
  const y = (id: string) => (rowOf.get(id) ?? 0) * ROW + ROW / 2;
  return (
    <svg className="flow-picture" viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true" focusable="false">
      <defs>
        <marker id="flow-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      <line className="flow-spine" x1={LEFT} x2={LEFT} y1={ROW / 2} y2={height - ROW / 2} />
      {flows.map(({ from, to, label }) => {
        const [top, bottom] = [y(from), y(to)];
        const reach = LEFT - Math.min(LEFT - 8, 18 + Math.abs(bottom - top) / 3);
        return (
          <path
            key={`${from} ${to} ${label}`}
            className="flow-arc"
            d={`M${LEFT} ${top} C${reach} ${top} ${reach} ${bottom} ${LEFT - 8} ${bottom}`}
            markerEnd="url(#flow-head)"
          />
        );
      })}
      {points.map(({ id, tool }) => (
        <g key={id}>
          <circle
            className={flows.some(({ to }) => to === id) ? 'flow-end' : 'flow-start'}
            cx={LEFT}
            cy={y(id)}
            r="6"
          />
          <text x={LEFT + 16} y={y(id) + 4}>
            {(tool === '' ? 'a person' : tool).slice(0, 40)}
          </text>
        </g>
      ))}
    </svg>
  );
}
