/** Whether what is shown comes by itself. */
export function Connection({ isLive, isPaused = false }: { isLive: boolean; isPaused?: boolean }) {
  const [state, text] = isPaused ? ['paused', 'Paused'] : isLive ? ['on', 'Live'] : ['', 'Asking every few seconds'];
  return (
    <p className={`connection ${state}`} role="status">
      {text}
    </p>
  );
}
