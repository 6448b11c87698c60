import { Plain } from './plain.tsx';

interface Props {
  /** As logs write it: `user:<id>`, `token:<id>`, `operator`, … */
  id: string;
  /** Of a person who belongs to the tenant. */
  name: string | null;
}

/** Who did something, or whom it was about: by name and id, since anybody can call themselves as they like. */
export function Who({ id, name }: Props) {
  if (name === null || name === '') return <Plain text={id} />;
  return (
    <>
      <Plain text={name} />{' '}
      <small className="muted">
        <Plain text={id} />
      </small>
    </>
  );
}
