import { Link } from 'wouter';
import { useLoaded } from '../../api/use-loaded.ts';
import { useTenant } from '../../api/viewer.ts';
import { Plain } from '../../ui/plain.tsx';
import { Answered } from '../../ui/states.tsx';
import { PolicyDiffQuery, PolicyStateQuery } from './queries.ts';
import { type Sides, versionName, writeSides } from './versions.ts';

interface Props {
  /** The version that would decide; null: the installation's policies. */
  to: number | null;
  onLeave: () => void;
}

/** What a version would change of what decides at this moment, whoever activated that meanwhile. */
export function ChangedFiles({ to, onLeave }: Props) {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(PolicyStateQuery, () => ({ tenant: tenant.id }), tenant.id);
  return (
    <Answered what="what changes" answer={data?.tenant?.policyState} failure={failure} retry={reload}>
      {({ activeVersion }) => <FileChanges sides={{ from: activeVersion, to }} onLeave={onLeave} />}
    </Answered>
  );
}

function FileChanges({ sides, onLeave }: { sides: Sides; onLeave: () => void }) {
  const { tenant } = useTenant();
  const key = `${tenant.id} ${sides.from} ${sides.to}`;
  const { data, failure, reload } = useLoaded(PolicyDiffQuery, () => ({ tenant: tenant.id, ...sides }), key);
  return (
    <Answered what="what changes" answer={data?.tenant?.policySetDiff} failure={failure} retry={reload}>
      {(files) =>
        files.length === 0 ? (
          <p>Its files are the same as those that decide now ({versionName(sides.from)}).</p>
        ) : (
          <>
            <p>Against what decides now ({versionName(sides.from)}):</p>
            <ul className="plain-list">
              {files.map(({ file, before, after }) => (
                <li key={file}>
                  <code>
                    <Plain text={file} />
                  </code>{' '}
                  {before === null ? (
                    <span className="badge good">new</span>
                  ) : after === null ? (
                    <span className="badge bad">taken out</span>
                  ) : (
                    <span className="badge">changed</span>
                  )}
                </li>
              ))}
            </ul>
            <p>
              <Link href={`/policies/history${writeSides(sides)}`} onClick={onLeave}>
                The whole difference
              </Link>
            </p>
          </>
        )
      }
    </Answered>
  );
}
