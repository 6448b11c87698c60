/** What `work` comes to; rejects with `problem` where that takes longer than `ms`, and `work` goes on by itself. */
export async function inTime<T>(work: Promise<T>, ms: number, problem: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(problem)), ms);
  });
  try {
    return await Promise.race([work, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
