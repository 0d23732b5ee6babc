/** Does the work when it is asked for, and again at most once in so many milliseconds however often it is asked for. */
export function calmly(work: () => void, calm: number): () => void {
  let resting: NodeJS.Timeout | undefined;
  let isWanted = false;
  const run = (): void => {
    isWanted = false;
    resting = setTimeout(() => {
      resting = undefined;
      if (isWanted) run();
    }, calm).unref();
    work();
  };
  return () => {
    if (resting === undefined) run();
    else isWanted = true;
  };
}
