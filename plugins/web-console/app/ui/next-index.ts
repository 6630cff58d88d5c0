/** Says to which of several things in a line a key leads, around its ends. */

const KEYS = { horizontal: ['ArrowLeft', 'ArrowRight'], vertical: ['ArrowUp', 'ArrowDown'] } as const;

/** `at`: -1 where none is chosen. `undefined` for other keys, and where there is nothing. */
export function nextIndex(key: string, at: number, count: number, direction: keyof typeof KEYS): number | undefined {
  const [back, forward] = KEYS[direction];
  if (count === 0) return undefined;
  if (key === forward) return (at + 1) % count;
  if (key === back) return at <= 0 ? count - 1 : at - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
