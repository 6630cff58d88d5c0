/** Declares the payload of the action, which is also what the model gives to its tool. */
import { type Static, Type } from 'atlas-query';

export const Note = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 2_000, description: 'the note, one or two sentences' }) },
  { additionalProperties: false },
);
export type Note = Static<typeof Note>;

const SHOWN_CHARS = 200;

/** One sentence for the people who approve it. */
export function summaryOf(text: string): string {
  return `Add the note "${text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}".`;
}
