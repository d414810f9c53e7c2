/** Lets everything else in the process have its turn: messages, signals. Timers alone, which pages have, wait for a millisecond. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
