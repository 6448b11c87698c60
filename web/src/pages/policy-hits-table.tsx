import { Link } from 'wouter';
import { count, share } from '../text/format.ts';
import { Plain } from '../ui/plain.tsx';
import { Time } from '../ui/time.tsx';
import type { PolicyHits } from './agents-query.ts';

interface Props {
  hits: readonly PolicyHits[];
  /** The hour from which all of them count. */
  since: string;
  /** What more the findings are narrowed to. */
  narrow?: string;
}

/** Which policies matched, how often, and how often people found that wrong. */
export function PolicyHitsTable({ hits, since, narrow = '' }: Props) {
  return (
    <div className="scrolls">
      <table className="list">
        <caption>
          Policies that matched most, and what was judged of them, since <Time at={since} />
        </caption>
        <thead>
          <tr>
            <th scope="col">Policy</th>
            <th scope="col" className="number">
              Matched
            </th>
            <th scope="col" className="number">
              In shadow
            </th>
            <th scope="col" className="number">
              False positives
            </th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {hits.map(({ policyId, enforced, simulated, judged, falsePositives, lastAt }) => (
            <tr key={policyId}>
              <td className="one-line">
                <Link href={`/findings?status=all&policy=${encodeURIComponent(policyId)}${narrow}`}>
                  <Plain text={policyId} />
                </Link>
              </td>
              <td className="number">{count(enforced)}</td>
              <td className="number">{count(simulated)}</td>
              <td className="number">
                {judged === 0 ? 'none judged' : `${share(falsePositives, judged)} of ${judged}`}
              </td>
              <td className="nowrap">
                <Time at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
