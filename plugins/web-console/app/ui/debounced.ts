/** Waits with what follows from a text until a person stops typing. */
import { useEffect, useState } from 'react';

const QUIET_MS = 250;

export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
