import { Link, useSearch } from 'wouter';
import { useTenant } from '../../api/viewer.ts';
import { PageHead } from '../../ui/shell.tsx';
import { Answered } from '../../ui/states.tsx';
import { useStartSet } from './use-start-set.ts';
import { Workbench } from './workbench.tsx';

/** Where policies are written, tried and saved. Starts from `?version=`, else from what decides now. */
export function PolicyEditorPage() {
  const { tenant } = useTenant();
  const search = new URLSearchParams(useSearch());
  const version = wholeNumber(search.get('version'));
  const { set, failure, reload } = useStartSet(tenant.id, version);
  return (
    <>
      <PageHead title="Edit policies">
        <Link href="/policies">Policies that count</Link>
        <Link href="/policies/history">Versions and history</Link>
      </PageHead>
      <Answered what="the files" answer={set} failure={failure} retry={reload}>
        {(set) => (
          <Workbench start={set} file={search.get('file') ?? undefined} line={wholeNumber(search.get('line'))} />
        )}
      </Answered>
    </>
  );
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
