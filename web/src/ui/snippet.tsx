import { useState } from 'react';

/** Something to be copied whole. `name` says what it is, as in "Copy the token". */
export function Snippet({ name, text }: { name: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="snippet">
      <pre>{text}</pre>
      {window.isSecureContext && (
        <button type="button" className="quiet" onClick={() => void copy()}>
          {isCopied ? 'Copied' : `Copy the ${name}`}
        </button>
      )}
    </div>
  );
}
