/** Shows a point in time in the reader's language and time zone. */
import type { ReactNode } from 'react';

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** `at`: as the API writes times. */
export const timeText = (at: string): string => FORMAT.format(new Date(at));

export function Time({ at }: { readonly at: string | null | undefined }): ReactNode {
  if (Number.isNaN(Date.parse(at ?? ''))) return '–';
  return <time dateTime={at ?? ''}>{timeText(at ?? '')}</time>;
}
